"""Deadlines: one timer, one live entry an item, and no decision before the input has been read."""

import asyncio
import gc
import weakref

import pytest
from tests.host.hall import MS, Hall, S, SetClock

from kiery.host import Clock, Deadlines
from kiery.host.clock import _WatchedSelector, new_event_loop


class Item:
    """Something with a deadline that a test moves."""

    def __init__(self, at: int | None) -> None:
        self.at = at
        self.scheduled: int | None = None
        self.entry = 0

    def deadline(self) -> int | None:
        return self.at


class Bell:
    """Deadlines on a clock that is set, and what they called back for."""

    def __init__(self) -> None:
        self.clock = SetClock()
        self.clock.time = 0
        self.rang: list[Item] = []
        self.deadlines: Deadlines[Item] = Deadlines(self.clock, self._expire)

    def _expire(self, item: Item, now: int) -> None:
        self.rang.append(item)
        item.at = None

    def at(self, time: int) -> None:
        self.clock.time = time
        self.deadlines._decide()

    def watch(self, item: Item) -> None:
        assert item.at is not None
        self.deadlines.watch(item, item.at)


async def test_an_item_is_called_back_once_after_its_deadline() -> None:
    bell = Bell()
    item = Item(10)
    bell.watch(item)

    bell.at(10)
    assert bell.rang == []
    bell.at(12 * MS)
    bell.at(20 * MS)

    assert bell.rang == [item]
    bell.deadlines.close()


async def test_items_are_called_in_the_order_of_their_deadlines() -> None:
    bell = Bell()
    items = [Item(at) for at in (30, 10, 20)]
    for item in items:
        bell.watch(item)

    bell.at(100)

    assert bell.rang == [items[1], items[2], items[0]]


async def test_a_deadline_that_moved_on_is_looked_at_again() -> None:
    bell = Bell()
    item = Item(10 * MS)
    bell.watch(item)
    item.at = 50 * MS

    bell.at(11 * MS)
    assert bell.rang == []
    bell.at(60 * MS)

    assert bell.rang == [item]
    bell.deadlines.close()


async def test_a_deadline_that_moved_forward_is_kept() -> None:
    bell = Bell()
    item = Item(500 * MS)
    bell.watch(item)
    item.at = 10 * MS
    bell.watch(item)

    bell.at(11 * MS)

    assert bell.rang == [item]
    bell.at(600 * MS)
    assert bell.rang == [item], "the old entry is dead"
    bell.deadlines.close()


async def test_an_item_has_at_most_one_live_entry() -> None:
    bell = Bell()
    item = Item(10 * MS)

    for _ in range(1_000):
        item.at = item.at + MS if item.at is not None else None
        bell.watch(item)

    assert len(bell.deadlines._heap) == 1
    bell.deadlines.close()


async def test_an_item_without_deadline_is_dropped() -> None:
    bell = Bell()
    item = Item(10)
    bell.watch(item)
    item.at = None

    bell.at(100)

    assert bell.rang == []
    assert item.scheduled is None
    assert not bell.deadlines._heap


async def test_closing_forgets_everything() -> None:
    bell = Bell()
    item = Item(10)
    bell.watch(item)

    bell.deadlines.close()
    bell.at(100)

    assert bell.rang == []
    assert bell.deadlines._timer is None


async def test_a_timer_that_rang_waits_two_more_turns_of_the_loop() -> None:
    bell = Bell()
    item = Item(10)
    bell.watch(item)
    bell.clock.time = 100
    assert bell.deadlines._timer is not None
    bell.deadlines._timer.cancel()

    bell.deadlines._rang()
    await asyncio.sleep(0)
    assert bell.rang == []
    await asyncio.sleep(0)
    await asyncio.sleep(0)

    assert bell.rang == [item]


@pytest.mark.parametrize("answered_at", [0.15, None])
def test_a_stalled_loop_reads_what_had_arrived_before_it_decides(answered_at: float | None) -> None:
    """The loop is blocked for 200 ms; a deadline at 180 ms, and an answer that came at 150 ms or never."""
    loop, clock = new_event_loop()

    async def scene() -> list[str]:
        import socket  # noqa: PLC0415
        import threading  # noqa: PLC0415
        import time  # noqa: PLC0415

        here, there = socket.socketpair()
        here.setblocking(False)
        item = Item(clock.now() + 180 * MS)
        happened: list[str] = []

        def expire(item: Item, now: int) -> None:
            happened.append("late")
            item.at = None

        deadlines: Deadlines[Item] = Deadlines(clock, expire)
        deadlines.watch(item, item.at or 0)

        async def read() -> None:
            await loop.sock_recv(here, 1)
            in_time = item.at is not None and clock.arrived() <= item.at
            happened.append("answered" if in_time else "too late")
            item.at = None

        reader = asyncio.create_task(read())
        await asyncio.sleep(0)
        timer = threading.Timer(answered_at, there.send, (b"x",)) if answered_at else None
        if timer is not None:
            timer.start()
        time.sleep(0.2)  # noqa: ASYNC251  (the stall is the point)
        for _ in range(30):
            await asyncio.sleep(0.001)
        reader.cancel()
        deadlines.close()
        here.close()
        there.close()
        return happened

    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        happened = runner.run(scene())

    assert happened == (["answered"] if answered_at else ["late"])


# The clock


def test_what_is_read_after_a_wait_arrived_just_now() -> None:
    loop, clock = new_event_loop()

    async def scene() -> tuple[int, int]:
        before = clock.now()
        await asyncio.sleep(0.005)
        return before, clock.arrived()

    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        before, arrived = runner.run(scene())

    assert arrived >= before + 4 * MS
    assert arrived <= clock.now()


def test_what_is_read_after_a_stall_arrived_before_it() -> None:
    loop, clock = new_event_loop()

    async def scene() -> int:
        import time  # noqa: PLC0415

        start = clock.now()
        time.sleep(0.05)  # noqa: ASYNC251  (the stall is the point)
        await asyncio.sleep(0)
        return clock.arrived() - start

    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        assert runner.run(scene()) < 10 * MS


def test_arrived_is_never_in_the_future_and_never_runs_backwards_far() -> None:
    selector = _WatchedSelector()
    clock = Clock(selector)
    for _ in range(100):
        selector.select(0)
        assert clock.arrived() <= clock.now()
    selector.close()


def test_a_foreign_loop_dates_what_arrives_now() -> None:
    clock = Clock()
    before = clock.now()

    assert before <= clock.arrived() <= clock.now()
    assert clock.today().tzinfo is not None


async def test_the_host_watches_the_deadline_of_a_decision_from_its_writing() -> None:
    hall = Hall()
    names = ["a", "b", "c", "d"]
    streams = [hall.stream(name).hello() for name in names]
    hall.seat(names)
    for stream in streams:
        stream.answer_all()
    for stream in streams:
        stream.take()
    hall.pass_time(62 * S + S)

    faults = [seating.place.faults for seating in next(iter(hall.floor.runs)).seatings]
    assert faults == [1] * 4


async def test_an_item_that_is_forgotten_is_not_kept_until_its_deadline() -> None:
    bell = Bell()
    items = [Item(3_600 * S) for _ in range(3_000)]
    for item in items:
        bell.watch(item)
    gone = weakref.ref(items[0])

    for item in items:
        bell.deadlines.forget(item)
    bell.watch(Item(3_600 * S))
    del items, item
    gc.collect()

    assert gone() is None
    assert len(bell.deadlines._heap) == 1
    bell.deadlines.close()
