"""Who is here: one live session a token, seats taken over, handles, secrets, resuming."""

import pytest
from tests.host.hall import Hall, S, Stream, news_of, play_out

from kiery.host import Verdict
from kiery.table import TableState
from kiery.terms import Limits, MatchCause, SubstitutionScope
from kiery.v1 import play_pb2

NAMES = ["a", "b", "c", "d"]


def playing(hall: Hall) -> list[Stream]:
    streams = [hall.stream(name).hello() for name in NAMES]
    hall.seat(NAMES)
    for stream in streams:
        stream.answer_all()
    return streams


def position(stream: Stream, match_id: str, seat: int) -> play_pb2.Position:
    sequences = [
        update.sequence
        for response in stream.read
        for update in response.updates
        if update.table == stream.handles[match_id, seat]
    ]
    return play_pb2.Position(match_id=match_id, seat=seat, sequence=sequences[-1])


async def test_a_newer_stream_replaces_the_older_at_once() -> None:
    hall = Hall()
    old, *_ = playing(hall)
    old.take()

    new = hall.stream("a").hello()

    assert old.reason == "SESSION_REPLACED"
    assert hall.bot("a").session is new.session
    (update,) = new.updates()
    assert update.news.match_started.match_id == "m1"
    assert update.decision == 2


async def test_nothing_read_from_a_replaced_stream_counts() -> None:
    hall = Hall()
    old, *_ = playing(hall)
    (update,) = old.updates()
    hall.stream("a").hello()

    old.answer_all([update])
    old.send(leave=play_pb2.Leave(resign=True))
    old.session.receive(b"\xff\xff")
    hall.lobby.lost(old.session)

    place = hall.bot("a").seatings["m1", 0].place
    assert place.decision is not None
    assert place.held is None
    assert place.connected


async def test_handles_are_never_reused_and_hold_on_one_stream_only() -> None:
    hall = Hall()
    seen: list[int] = []
    stream = hall.stream("a")
    for _ in range(5):
        stream = hall.stream("a").hello()
        for name in NAMES[1:]:
            hall.stream(name).hello().take()
        if not seen:
            hall.seat(NAMES)
        seen += [update.table for update in stream.updates()]
    place = hall.bot("a").seatings["m1", 0].place

    assert len(set(seen)) == 5
    assert all(1 <= handle < 1 << 21 for handle in seen)
    stream.send(answers=[play_pb2.Answer(table=handle, decision=1) for handle in seen[:-1]])
    assert hall.bot("a").dropped == 4
    assert place.decision is not None


async def test_a_secret_of_the_newest_session_takes_the_seats_back() -> None:
    hall = Hall()
    old, *_ = playing(hall)
    old.take()
    secret = old.read[0].welcome.resume_secret
    old.lose()

    new = hall.stream("a").hello(resume_secret=secret, positions=[position(old, "m1", 0)])

    welcome, *rest = new.take()
    assert welcome.welcome.resumed_tables == 1
    assert welcome.welcome.resume_secret != secret
    (update,) = [update for response in rest for update in response.updates]
    assert update.news.match_started.after == position(old, "m1", 0).sequence
    assert update.HasField("observation")


async def test_a_stale_secret_is_refused_and_disturbs_nobody() -> None:
    hall = Hall()
    first = hall.stream("a").hello()
    first.take()
    newer = hall.stream("a").hello()
    newer.take()

    late = hall.stream("a").hello(resume_secret=first.read[0].welcome.resume_secret)

    assert late.reason == "SESSION_STALE"
    assert newer.reason is None
    assert hall.bot("a").session is newer.session


async def test_a_secret_that_cannot_be_checked_counts_as_absent() -> None:
    stream = Hall().stream("a").hello(resume_secret=b"from before the restart")

    assert stream.reason is None
    assert stream.take()[0].HasField("welcome")


async def test_a_lost_stream_keeps_its_seats_and_spends_grace() -> None:
    hall = Hall()
    streams = playing(hall)
    streams[0].take()
    streams[0].lose()
    place = hall.bot("a").seatings["m1", 0].place

    hall.pass_time(5 * S)
    assert place.held is None
    stream = hall.stream("a").hello()
    assert len(stream.updates()) == 1

    assert place.grace == 15 * S
    assert streams[1].reason is None


async def test_grace_runs_out_by_itself_and_the_others_play_on() -> None:
    hall = Hall()
    streams = playing(hall)
    streams[0].lose()

    hall.clock.time += 21 * S
    hall.floor._deadlines._decide()
    place = hall.bot("a").seatings["m1", 0].place
    assert place.held is SubstitutionScope.DEAL
    play_out(streams[1:])

    assert hall.verdicts == [Verdict.PLAYED]


async def test_ended_matches_named_in_positions_are_announced_with_their_end_and_counted() -> None:
    hall = Hall()
    streams = playing(hall)
    streams[0].take()
    last = position(streams[0], "m1", 0)
    hall.seat(NAMES, match_id="m2")
    streams[0].lose()
    run = next(run for run in hall.floor.runs if run.table.match_id == "m1")
    hall.floor.finish(run, MatchCause.CANCELLED, b"")
    assert [key[0] for key in hall.bot("a").seatings] == ["m2"]

    def open_a_new_one() -> None:
        hall.lobby.changed = lambda: None
        hall.seat(NAMES, match_id="m3")

    hall.lobby.changed = open_a_new_one
    new = hall.stream("a").hello(positions=[last])
    welcome, *rest = new.take()
    updates = [update for response in rest for update in response.updates]

    assert welcome.welcome.resumed_tables == 2
    started = [update.news.match_started.match_id for update in updates]
    assert started == ["m2", "m1", "m3"], "all that was, before all that is new"
    ended = updates[1].news.match_ended
    assert ended.cause == 4
    assert hall.bot("a").ended == {}
    assert new.handles["m1", 0] not in new.session.handles


async def test_ended_matches_that_no_position_names_are_forgotten() -> None:
    hall = Hall()
    streams = playing(hall)
    streams[0].lose()
    hall.floor.finish(next(iter(hall.floor.runs)), MatchCause.CANCELLED, b"")

    new = hall.stream("a").hello()

    (welcome,) = new.take()
    assert welcome.welcome.resumed_tables == 0


async def test_ends_kept_for_a_bot_that_is_away_are_bounded() -> None:
    hall = Hall()
    for number in range(80):
        hall.floor.finish(hall.seat(NAMES, match_id=f"m{number}"), MatchCause.CANCELLED, b"")

    assert len(hall.bot("a").ended) == 64
    assert not hall.bot("a").seatings


async def test_a_bot_in_two_seats_of_a_match_has_two_handles_that_share_nothing() -> None:
    hall = Hall()
    twice, other = hall.stream("a").hello(), hall.stream("b").hello()
    hall.seat(["a", "b", "a", "b"])

    updates = twice.updates()

    assert {update.news.match_started.seat for update in updates} == {0, 2}
    assert len({update.table for update in updates}) == 2
    twice.answer_all(updates)
    other.answer_all()
    dealt = twice.updates()
    hands = [deal.hand for deal in news_of(dealt, "deal_started")]  # type: ignore[attr-defined]
    assert len(hands) == 2
    assert hands[0] != hands[1]
    twice.answer_all(dealt)
    play_out([twice, other])
    assert hall.verdicts == [Verdict.PLAYED]


async def test_capacity_is_changed_at_any_time_and_0_drains() -> None:
    hall = Hall()
    told: list[int] = []
    stream = hall.stream("a").hello(max_tables=3)
    hall.lobby.changed = lambda: told.append(hall.bot("a").room)

    for wanted in (0, 7, 99_999):
        stream.send(capacity=play_pb2.Capacity(max_tables=wanted))

    assert told == [0, 7, 2_000]


async def test_0_tables_in_a_hello_is_the_servers_default() -> None:
    hall = Hall(Limits(default_tables=11))

    hall.stream("a").hello(max_tables=0)

    assert hall.bot("a").room == 11


async def test_a_table_takes_room_from_its_announcement_to_its_end() -> None:
    hall = Hall()
    streams = [hall.stream(name).hello(max_tables=2) for name in NAMES]
    hall.seat(NAMES)
    assert hall.bot("a").room == 1

    play_out(streams)

    assert hall.bot("a").room == 2
    assert streams[0].session.handles == {}


async def test_a_bot_that_is_away_has_no_room() -> None:
    hall = Hall()
    stream = hall.stream("a").hello()
    stream.lose()

    assert hall.bot("a").room == 0
    assert hall.bot("a").session is None
    assert not hall.lobby.sessions


async def test_who_is_given_up_is_not_waited_for() -> None:
    hall = Hall()
    streams = playing(hall)
    streams[0].lose()

    hall.lobby.give_up(hall.bot("a"))

    place = hall.bot("a").seatings["m1", 0].place
    assert place.held is SubstitutionScope.MATCH
    play_out(streams[1:])
    hall.seat(NAMES, match_id="m2")
    assert hall.bot("a").seatings["m2", 0].place.held is SubstitutionScope.MATCH


async def test_a_resume_of_a_thousand_tables_is_cut_into_small_messages() -> None:
    hall = Hall()
    first = hall.stream("a").hello(max_tables=2_000)
    for number in range(1_000):
        hall.seat(["a", "b", "b", "b"], match_id=f"match-{number:010}")
    first.take()
    first.lose()

    new = hall.stream("a").hello(max_tables=2_000)
    responses = new.take()

    sizes = [response.ByteSize() for response in responses[1:]]
    assert responses[0].welcome.resumed_tables == 1_000
    assert sum(len(response.updates) for response in responses) == 1_000
    assert max(sizes) < 49_152 + 2_048
    assert min(sizes[:-1]) >= 49_152


async def test_the_outbox_of_a_bot_that_does_not_read_holds_seats_and_not_messages() -> None:
    hall = Hall()
    streams = [hall.stream(name).hello(delivery=play_pb2.DELIVERY_IMMEDIATE) for name in NAMES]
    run = hall.seat(NAMES, deals=3)
    for stream in streams:
        stream.answer_all()
    hall.floor.leave(run.seatings[0], resign=True)

    while sum(stream.answer_all() for stream in streams[1:]):
        assert len(streams[0].session._due) <= 1

    assert run.table.state is TableState.ENDED
    assert len(streams[0].session._control) <= 1
    updates = streams[0].updates()
    assert len(updates) <= 2
    assert updates[-1].news.HasField("match_ended")


@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_seat_is_announced_whether_its_bot_comes_before_or_after_the_table(when: str) -> None:
    hall = Hall()
    stream = hall.stream("a")
    if when == "before":
        stream.hello()
    hall.seat(NAMES)
    if when == "after":
        stream.hello()

    (update,) = stream.updates()

    assert update.decision == 1
    assert update.news.match_started.seat == 0


async def test_an_end_that_was_not_read_is_told_on_the_next_stream() -> None:
    hall = Hall()
    streams = playing(hall)
    streams[0].take()
    last = position(streams[0], "m1", 0)
    hall.floor.finish(next(iter(hall.floor.runs)), MatchCause.CANCELLED, b"")
    streams[0].lose()

    new = hall.stream("a").hello(positions=[last])

    (update,) = new.updates()
    assert new.read[0].welcome.resumed_tables == 1
    assert update.news.HasField("match_ended")
    assert not hall.bot("a").seatings


async def test_who_wishes_it_gets_a_snapshot_with_every_decision() -> None:
    hall = Hall()
    streams = [hall.stream(name).hello(snapshots=play_pb2.SNAPSHOTS_EVERY_DECISION) for name in NAMES]
    hall.seat(NAMES)
    for stream in streams:
        stream.answer_all()

    (update,) = streams[0].updates()

    assert update.observation.hand == update.legal
