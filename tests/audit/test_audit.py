"""The audit passes what is published of a played tournament, and nothing else."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from tests.audit.tournaments import Evening
from tests.record.matches import SECRET

from kiery.audit import Audit, Course, FormError, announce, line_of
from kiery.terms import MatchCause
from kiery.tournament import Amendment, Entrant
from kiery.tournament.amendment import entry, withdrawal

FOUR = "ala ola ela ula"


def evening() -> Evening:
    """A tournament with everything: a forfeit, a match broken off, one lost, owners, a house bot."""
    played = Evening(
        "ala:x ola ela:y",
        deals_per_bot=1,
        entropy="drand:quicknet:7:ab",
        forfeits={1: 2},
        rules={"preset": "klasyk"},
    )
    played.void(2)
    played.void(0, lost=True)
    played.void(0, after_plays=None)
    return played


def late(course: Course) -> list[Amendment]:
    """Two enter when nine matches have begun, one of them with a command line."""
    amendments: list[Amendment] = []
    for entrant in (Entrant(name="late", command="./late --token hush"), Entrant(name="later", owner="x")):
        course = Course(course.announced, SECRET, amendments)
        amendments.append(entry(course.spec, amendments, course.fixtures, entrant, range(9)))
    return amendments


def leaving(course: Course) -> list[Amendment]:
    """One leaves when nine matches have begun."""
    return [withdrawal(course.spec, [], course.fixtures, "c", range(9), range(8))]


MIXED = [
    {"name": "a", "command": "./a --token hush"},
    {"name": "b", "builtin": "low"},
    {"name": "c"},
    {"name": "d"},
]
TOURNAMENTS: dict[str, Callable[[], Evening]] = {
    "independent": lambda: Evening(FOUR + " iza", deals_per_bot=1),
    "laps": lambda: Evening(FOUR, deals_per_bot=1, sharing="laps"),
    "voids, a forfeit, a house bot": evening,
    "to a target": lambda: Evening(
        "ala ola ela", rules={"preset": "hearts", "players": 3}, target=30, deals=None, deals_per_bot=1
    ),
    "two packs": lambda: Evening(
        "a b c d e f g h", deals_per_bot=1, rules={"preset": "cancellation", "players": 8}
    ),
    "a match A A B B": lambda: Evening("ala ola", format="match", deals_per_bot=24),
    "a gauntlet": lambda: Evening("ala ola ela ula iza", format="gauntlet", deals_per_bot=1),
    "a ladder": lambda: Evening("ala ola ela ula iza", format="ladder", tables_budget=4),
    "a final": lambda: Evening("ala ola ela ula iza", format="final", deals_per_bot=1, final_length=1),
    "somebody enters late": lambda: Evening("a b c d e f", amend=late, deals_per_bot=12),
    "somebody leaves": lambda: Evening("a b c d e f", amend=leaving, deals_per_bot=12),
    "a ladder that somebody enters": lambda: Evening(
        "a b c d e", amend=late, format="ladder", tables_budget=8
    ),
    "launched and built-in bots": lambda: Evening("", entrants=MIXED, deals_per_bot=1),
}


def finding(lines: Sequence[bytes], announced: Sequence[bytes] | None = None) -> str | None:
    """Returns the first disagreement with its check; none: the audit passes."""
    check = Audit(lines, announced).run().finding
    return None if check is None else f"{check.name}: {check.finding}"


@pytest.mark.parametrize("kind", TOURNAMENTS)
def test_tournament_that_was_played_passes(kind: str) -> None:
    played = TOURNAMENTS[kind]()
    lines = played.lines()

    audited = Audit(lines).run()

    assert audited.finding is None
    counts = {check.name: check.count for check in audited.checks}
    records = [each.record for each in played.attempts.values() if each.record is not None]
    assert counts["form"] == len(lines)
    assert counts["schedule"] == len(played.course.fixtures)
    assert counts["amendments"] == len(played.amendments)
    assert counts["attempts"] == len(played.attempts)
    assert counts["records"] == len(records)
    assert counts["boards"] == sum(len(record.deals) for record in records)
    assert counts["cards"] == sum(len(deal.cards) for record in records for deal in record.deals)
    assert counts["standings"] == len(played.course.spec.entrants) - len(played.course.schedule.hidden)
    assert all(check.complete for check in audited.checks)


def test_voided_laps_pass_with_every_match_of_the_set_played_again() -> None:
    played = Evening(FOUR, deals_per_bot=1, sharing="laps")
    played.void(2)

    assert finding(played.lines()) is None
    assert sum(each.status == "void" for each in played.attempts.values()) == 4


@pytest.mark.parametrize("kind", ["launched and built-in bots", "somebody enters late"])
def test_command_lines_are_not_published(kind: str) -> None:
    lines = TOURNAMENTS[kind]().lines()

    assert b"hush" not in b"".join(lines)


def test_finding_names_check_fixture_deal_and_trick() -> None:
    lines = Evening(FOUR, deals_per_bot=1).lines()
    index = next(at for at, line in enumerate(lines) if b'"fixture":2,"kind":"attempt"' in line)
    changed = json.loads(lines[index])
    cards = changed["record"]["deals"][0]["cards"].split()
    cards[4], cards[8] = cards[8], cards[4]
    changed["record"]["deals"][0]["cards"] = " ".join(cards)
    lines[index] = line_of(changed)

    assert (finding(lines) or "").startswith("records: fixture 2, attempt 1: deal 1, trick 2, seat ")


# What an organiser might try, with every digest made to fit.


def test_result_left_out_is_missed() -> None:
    played = Evening(FOUR, deals_per_bot=1)
    del played.attempts[3, 1]

    assert finding(played.lines()) == "attempts: fixture 3 has no result"


def test_result_played_twice_is_found() -> None:
    played = Evening(FOUR, deals_per_bot=1)
    played.play(3, attempt=2)

    assert finding(played.lines()) == "attempts: fixture 3, attempt 2: attempt 1 is the result already"


def test_bad_result_called_void_without_another_try_is_found() -> None:
    played = Evening(FOUR, deals_per_bot=1)
    played.attempts[1, 1] = replace(played.attempts[1, 1], status="void")

    assert finding(played.lines()) == "attempts: fixture 1 has no result"


def test_further_try_without_a_void_one_before_is_found() -> None:
    played = Evening(FOUR, deals_per_bot=1)
    del played.attempts[1, 1]
    played.play(1, attempt=2)

    assert (finding(played.lines()) or "").startswith(
        "attempts: fixture 1: attempt 2 stands after 0 void ones"
    )


def test_void_attempt_left_out_is_found() -> None:
    played = Evening(FOUR, deals_per_bot=1)
    played.void(1)
    played.void(1)
    del played.attempts[1, 1]

    assert finding(played.lines()) == "attempts: the void attempts at f1 are numbered [2]: expected 1, 2, …"


def test_one_match_of_a_set_kept_where_another_was_void_is_found() -> None:
    played = Evening(FOUR, deals_per_bot=1, sharing="laps")
    played.void(2)
    del played.attempts[0, 2]
    played.attempts[0, 1] = replace(played.attempts[0, 1], status="valid")

    assert (finding(played.lines()) or "").startswith(
        "attempts: fixture 0: attempt 1 stands after 1 void ones"
    )


def test_match_that_was_broken_off_cannot_be_a_result() -> None:
    played = Evening(FOUR, deals_per_bot=1)
    record = played.record(1, 1, stop_after_plays=9)
    played.attempts[1, 1] = replace(played.attempts[1, 1], record=record)

    assert finding(played.lines()) == (
        "attempts: fixture 1, attempt 1: it is called valid, and its match ended with void_server"
    )


def test_record_of_another_fixture_is_found() -> None:
    played = Evening(FOUR, deals_per_bot=1)
    played.attempts[1, 1] = replace(played.attempts[1, 1], record=played.attempts[2, 1].record)

    assert (finding(played.lines()) or "").startswith(
        "records: fixture 1, attempt 1: deal 1: the board is called"
    )


def test_cancelled_tournament_passes_without_all_results() -> None:
    played = Evening(FOUR, deals_per_bot=1)
    record = played.record(3, 1, stop_after_plays=9)
    played.attempts[3, 1] = replace(
        played.attempts[3, 1], status="void", record=replace(record, cause=MatchCause.VOID_SERVER)
    )

    assert finding(played.lines(cancelled=True)) is None


def test_cancelled_tournament_with_all_results_is_refused() -> None:
    lines = Evening(FOUR, deals_per_bot=1).lines(cancelled=True)

    assert finding(lines) == "attempts: the tournament is called cancelled, and every fixture has a result"


def test_match_that_was_taken_off_cannot_be_played() -> None:
    played = TOURNAMENTS["somebody leaves"]()
    dropped = next(each.index for each in played.course.fixtures if each.dropped)
    played.play(dropped)

    assert finding(played.lines()) == (
        f"attempts: fixture {dropped}, attempt 1: the fixture was taken off by an amendment before it began"
    )


def test_amendment_that_was_left_out_breaks_the_chain() -> None:
    lines = TOURNAMENTS["somebody enters late"]().lines()
    at = next(at for at, line in enumerate(lines) if b'"kind":"amendment"' in line)

    assert (finding(lines[:at] + lines[at + 1 :]) or "").startswith("amendments: amendment 1: ")


def test_another_secret_does_not_fit_the_commitment() -> None:
    lines = Evening(FOUR, deals_per_bot=1).lines()
    lines[1] = lines[1].replace(SECRET.hex().encode(), bytes(32).hex().encode())

    assert finding(lines) == "commitment: the commitment is not that of the secret"


def test_entropy_that_was_changed_gives_another_schedule() -> None:
    lines = Evening(FOUR, deals_per_bot=1, entropy="then").lines()
    other = Evening(FOUR, deals_per_bot=1, entropy="now").lines()

    assert (finding([*other[:2], *lines[2:]]) or "").startswith("schedule: fixture 0: ")


# Before the first deal.


def announced(played: Evening) -> list[bytes]:
    return list(announce(Course(played.spec, SECRET)))


@pytest.mark.parametrize("sharing", ["independent", "laps"])
def test_what_was_announced_is_compared(sharing: str) -> None:
    played = Evening(FOUR, deals_per_bot=1, sharing=sharing)

    assert finding(played.lines(), announced(played)) is None


def test_another_announcement_is_found() -> None:
    early = announced(Evening(FOUR, deals_per_bot=1, entropy="x"))

    assert finding(Evening(FOUR, deals_per_bot=1).lines(), early) == (
        "announced: line 1 was another before the first deal"
    )
    played = Evening(FOUR, deals_per_bot=1)
    swapped = announced(played)
    swapped[2], swapped[3] = swapped[3], swapped[2]
    assert finding(played.lines(), swapped) == "announced: line 3 was another before the first deal"
    assert finding(played.lines(), [*announced(played), b"{}\n"]) == (
        "announced: more lines were announced than were kept"
    )


def test_shared_boards_are_announced_without_fixtures() -> None:
    played = Evening(FOUR, deals_per_bot=1, sharing="laps")

    assert len(announced(played)) == 1


def test_announcement_is_no_audit() -> None:
    with pytest.raises(FormError, match="not over"):
        Audit(announced(Evening(FOUR, deals_per_bot=1))).run()


@pytest.mark.parametrize("lines", [[], [b"{}\n"], [b'{"kind":"fixture"}\n']])
def test_other_files_are_refused(lines: list[bytes]) -> None:
    with pytest.raises(FormError, match="not the published data"):
        Audit(lines).run()


# One value, one byte.


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yields the path of every value in a value, containers included."""
    yield path
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(item, (*path, key))


def mutations(value: Any, chance: Random) -> list[Any]:
    """Returns other values near one value."""
    match value:
        case bool():
            return [not value, int(value)]
        case int():
            return [value + 1, value - 1, float(value)]
        case float():
            return [value + 1e-6, value - 1e-6, -value - 1, None]
        case str():
            return other_texts(value, chance)
        case list():
            longer = [*value, value[-1] if value else 0]
            exchanged = [value[-1], *value[1:-1], value[0]] if value and value[0] != value[-1] else longer
            return [longer, exchanged, value[:-1] if value else longer]
        case dict():
            cut = [{other: item for other, item in value.items() if other != key} for key in value]
            return [{**value, "more": 0}, *cut]
    return [0, "", [], False]


def other_texts(value: str, chance: Random) -> list[str]:
    at = chance.randrange(len(value) + 1)
    others = [f"{value[:at]}x{value[at:]}", f"{value} ", value.swapcase(), value[:-1]]
    if value:
        at %= len(value)
        others.append(value[:at] + chr(ord(value[at]) ^ 1) + value[at + 1 :])
    return [other for other in others if other != value]


def changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """Returns a value in which another stands at a path."""
    if not path:
        return new
    step, rest = path[0], path[1:]
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[step] = changed(copy[step], rest, new)
    return copy


def is_found(lines: list[bytes]) -> bool:
    """Tells whether an audit fails, for whatever reason."""
    try:
        return finding(lines) is not None
    except FormError:
        return True


def check_every_leaf(lines: list[bytes], chance: Random, each_shape: int | None) -> int:
    """Changes every value, or so many of each shape; returns how many changes were tried."""
    seen: dict[tuple[Any, ...], int] = {}
    tried = 0
    for at, line in enumerate(lines):
        value = json.loads(line)
        paths = list(leaves(value))
        chance.shuffle(paths)
        for path in paths:
            shape = (value["kind"], *("#" if isinstance(step, int) else step for step in path))
            seen[shape] = seen.get(shape, 0) + 1
            if each_shape is not None and seen[shape] > each_shape:
                continue
            found = value
            for step in path:
                found = found[step]
            others = mutations(found, chance)
            for new in others if each_shape is None else [chance.choice(others)]:
                tried += 1
                other = line_of(changed(value, path, new))
                assert is_found([*lines[:at], other, *lines[at + 1 :]]), (at, path, found, new)
    return tried


def test_every_kind_of_value_counts() -> None:
    assert check_every_leaf(evening().lines(), Random(1), 1) > 80


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "each_shape"),
    [
        ("laps", None),
        ("voids, a forfeit, a house bot", None),
        ("a ladder that somebody enters", 1),
        ("a final", 1),
    ],
)
def test_every_single_value_counts(kind: str, each_shape: int | None) -> None:
    tried = check_every_leaf(TOURNAMENTS[kind]().lines(), Random(2), each_shape)

    assert tried > (3000 if each_shape is None else 80)


def check_bytes(lines: list[bytes], chance: Random, count: int) -> None:
    whole = bytearray(b"".join(lines))
    for _ in range(count):
        at = chance.randrange(len(whole))
        before = whole[at]
        whole[at] ^= 1 << chance.randrange(8)
        *rows, end = bytes(whole).split(b"\n")
        rows = [row + b"\n" for row in rows] + ([end] if end else [])
        assert is_found(rows), (at, before, whole[at])
        whole[at] = before


def test_a_changed_byte_is_found() -> None:
    check_bytes(evening().lines(), Random(3), 60)


@pytest.mark.slow
def test_any_changed_byte_is_found() -> None:
    check_bytes(evening().lines(), Random(4), 2000)


def test_a_line_left_out_twice_or_exchanged_is_found() -> None:
    lines = evening().lines()

    for at in range(1, len(lines)):
        assert is_found(lines[:at] + lines[at + 1 :])
        assert is_found([*lines[:at], lines[at], *lines[at:]])
        assert is_found([*lines[: at - 1], lines[at], lines[at - 1], *lines[at + 1 :]])
    assert is_found([*lines, lines[-1]])
    assert is_found(lines[:-1])
