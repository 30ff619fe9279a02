"""The schema keeps its own rules: numbering, comments, and what each role can be told.

Judged from the shipped descriptor set, which carries the comments, so no protoc is needed. That it
is what `proto/` says is the business of `make proto-check`.
"""

from collections.abc import Iterator
from importlib import import_module, resources

import pytest
from google.protobuf import descriptor_pool
from google.protobuf.descriptor import Descriptor
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
)

from kiery.v1 import card_pb2, play_pb2, record_pb2, terms_pb2, watch_pb2

FILES = ("access", "card", "play", "record", "replay", "rules", "standings", "terms", "tournament", "watch")
PRIVATE_WORDS = ("hand", "legal", "passed", "received", "decision", "bank", "clock", "grace", "choose")


def shipped() -> FileDescriptorSet:
    """Returns the descriptor set that is shipped for dynamic clients."""
    return FileDescriptorSet.FromString((resources.files("kiery.v1") / "kiery.binpb").read_bytes())


def own_files(files: FileDescriptorSet) -> list[FileDescriptorProto]:
    """Returns the files of the package, without the well-known types."""
    return [file for file in files.file if file.package == "kiery.v1"]


def every_message(file: FileDescriptorProto) -> Iterator[DescriptorProto]:
    """Yields all messages of a file. None is nested (see the test of that)."""
    yield from file.message_type


def nonzero_starts(enums: list[EnumDescriptorProto]) -> list[str]:
    """Returns the enums whose first value is not the unspecified zero."""
    return [
        enum.name
        for enum in enums
        if enum.value[0].number != 0 or not enum.value[0].name.endswith("_UNSPECIFIED")
    ]


def uncommented(file: FileDescriptorProto) -> list[str]:
    """Returns what has no comment: messages, fields, enums, values, services, methods."""
    commented = {
        tuple(location.path)
        for location in file.source_code_info.location
        if location.leading_comments.strip()
    }
    paths: dict[tuple[int, ...], str] = {}
    for i, message in enumerate(file.message_type):
        paths[4, i] = message.name
        paths |= {(4, i, 2, j): f"{message.name}.{field.name}" for j, field in enumerate(message.field)}
    for i, enum in enumerate(file.enum_type):
        paths[5, i] = enum.name
        paths |= {(5, i, 2, j): value.name for j, value in enumerate(enum.value)}
    for i, service in enumerate(file.service):
        paths[6, i] = service.name
        paths |= {(6, i, 2, j): f"{service.name}.{method.name}" for j, method in enumerate(service.method)}
    return [name for path, name in paths.items() if path not in commented]


def reachable(roots: list[Descriptor]) -> set[Descriptor]:
    """Returns the messages that the given ones can carry, themselves included."""
    found: set[Descriptor] = set()
    waiting = list(roots)
    while waiting:
        message = waiting.pop()
        if message not in found:
            found.add(message)
            waiting += [field.message_type for field in message.fields if field.message_type is not None]
    return found


def private_fields(messages: set[Descriptor]) -> set[str]:
    """Returns the fields whose names speak of what only a seat may know."""
    return {
        field.full_name
        for message in messages
        for field in message.fields
        if any(word in field.name for word in PRIVATE_WORDS)
    }


def test_the_descriptor_set_holds_the_generated_files() -> None:
    files = {file.name: file for file in own_files(shipped())}

    assert set(files) == {f"kiery/v1/{name}.proto" for name in FILES}
    for name in FILES:
        generated = FileDescriptorProto()
        import_module(f"kiery.v1.{name}_pb2").DESCRIPTOR.CopyToProto(generated)
        bare = files[f"kiery/v1/{name}.proto"]
        bare.ClearField("source_code_info")
        bare.DiscardUnknownFields()  # buf marks its image
        for file in (bare, generated):
            clear_json_names(file)
        assert bare == generated


def clear_json_names(file: FileDescriptorProto) -> None:
    """Forgets the names of fields in JSON, which follow from the fields and not every compiler writes."""
    for message in every_message(file):
        for field in message.field:
            field.ClearField("json_name")


def test_the_descriptor_set_serves_a_client_without_generated_code() -> None:
    pool = descriptor_pool.DescriptorPool()
    for file in shipped().file:
        pool.Add(file)

    assert pool.FindServiceByName("kiery.v1.PlayService").methods_by_name["Play"].client_streaming


def test_every_enum_starts_with_an_unspecified_zero() -> None:
    enums = [enum for file in own_files(shipped()) for enum in file.enum_type]

    assert len(enums) > 20
    assert nonzero_starts(enums) == []


def test_an_enum_that_starts_otherwise_is_found() -> None:
    enum = EnumDescriptorProto(name="Suit")
    enum.value.add(name="SUIT_CLUBS", number=0)

    assert nonzero_starts([enum]) == ["Suit"]


def test_no_message_or_enum_is_nested() -> None:
    assert [
        message.name
        for file in own_files(shipped())
        for message in every_message(file)
        if message.nested_type or message.enum_type
    ] == []


def test_everything_is_commented() -> None:
    assert [name for file in own_files(shipped()) for name in uncommented(file)] == []


def test_a_field_without_a_comment_is_found() -> None:
    file = next(file for file in own_files(shipped()) if file.name == "kiery/v1/play.proto")
    file.message_type[0].field.add(name="added", number=99)

    assert uncommented(file) == ["PlayRequest.added"]


def test_cards_are_numbered_by_suit_and_rank() -> None:
    suits = ("CLUBS", "DIAMONDS", "SPADES", "HEARTS")
    ranks = "TWO THREE FOUR FIVE SIX SEVEN EIGHT NINE TEN JACK QUEEN KING ACE".split()
    expected = {
        f"CARD_{rank}_OF_{suit}": 13 * suits.index(suit) + ranks.index(rank) + 1
        for suit in suits
        for rank in ranks
    }

    assert dict(card_pb2.Card.items()) == {"CARD_UNSPECIFIED": 0} | expected


def test_the_hot_path_has_the_small_numbers_in_the_stated_order() -> None:
    names = [
        field.name for field in sorted(play_pb2.TableUpdate.DESCRIPTOR.fields, key=lambda field: field.number)
    ]

    assert (
        names
        == (
            "table sequence seats cards winners own_causes"
            " decision kind legal choose_count time_ms bank_ms news observation"
        ).split()
    )
    assert [play_pb2.TableUpdate.DESCRIPTOR.fields_by_name[name].number for name in names] == list(
        range(1, 15)
    )
    assert play_pb2.PlayRequest.DESCRIPTOR.fields_by_name["answers"].number == 1
    assert play_pb2.PlayResponse.DESCRIPTOR.fields_by_name["updates"].number == 1


def test_a_turn_of_four_plays_and_three_legal_cards_stays_small() -> None:
    turn = play_pb2.TableUpdate(
        table=1 << 19,
        sequence=37,
        seats=bytes((0, 1, 2, 3)),
        cards=bytes((40, 41, 42, 43)),
        winners=bytes((3,)),
        decision=12,
        kind=terms_pb2.DECISION_KIND_PLAY,
        legal=bytes((44, 45, 46)),
        choose_count=1,
        time_ms=2000,
        bank_ms=60000,
    )

    assert len(turn.SerializeToString()) <= 39


@pytest.mark.parametrize(
    "message", [play_pb2.TableUpdate, play_pb2.Observation, record_pb2.DealRecord, play_pb2.Answer]
)
def test_cards_seats_and_winners_travel_as_bytes(message: type[play_pb2.TableUpdate]) -> None:
    columns = {
        "seats",
        "cards",
        "winners",
        "hand",
        "hands",
        "legal",
        "passed",
        "received",
        "kitty",
        "plays",
        "passes",
    }
    found = [field for field in message.DESCRIPTOR.fields if field.name in columns]

    assert found
    assert {field.name for field in found if field.type != FieldDescriptorProto.TYPE_BYTES} == set()


def test_points_and_scores_are_signed_and_packed() -> None:
    fields = [
        field
        for file in own_files(shipped())
        for message in every_message(file)
        for field in message.field
        if field.name in {"points", "scores"} and field.label == FieldDescriptorProto.LABEL_REPEATED
    ]

    assert len(fields) >= 10
    assert {field.type for field in fields} == {FieldDescriptorProto.TYPE_SINT32}


def test_spectators_have_no_field_for_what_is_private() -> None:
    responses = [
        method.output_type
        for service in watch_pb2.DESCRIPTOR.services_by_name.values()
        for method in service.methods
    ]

    assert len(responses) == 3
    assert private_fields(reachable(responses)) == set()


def test_a_private_field_would_be_found_however_deep_it_lies() -> None:
    seen = private_fields(reachable([play_pb2.PlayResponse.DESCRIPTOR]))

    assert {
        "kiery.v1.DealStarted.hand",
        "kiery.v1.TableUpdate.legal",
        "kiery.v1.CardsExchanged.received",
        "kiery.v1.TimeControl.bank_ms",
    } <= seen


def test_spectators_and_seats_share_no_message_of_play() -> None:
    spectator = reachable([watch_pb2.FollowTablesResponse.DESCRIPTOR])
    seat = reachable([play_pb2.PlayResponse.DESCRIPTOR, play_pb2.PlayRequest.DESCRIPTOR])

    assert {message.name for message in spectator & seat} == {"Rules"}
    assert {message.name for message in spectator if message.file.name == "kiery/v1/watch.proto"} == {
        "FollowTablesResponse",
        *(name for name in watch_pb2.DESCRIPTOR.message_types_by_name if name.startswith("Spectator")),
    }


def test_only_replays_carry_records() -> None:
    carriers = {
        method.containing_service.name
        for name in FILES
        for service in import_module(f"kiery.v1.{name}_pb2").DESCRIPTOR.services_by_name.values()
        for method in service.methods
        if record_pb2.DealRecord.DESCRIPTOR in reachable([method.output_type])
    }

    assert carriers == {"ReplayService"}
