"""Nothing that a seat is told depends on cards that it may not know: two worlds, the same bytes."""

from random import Random

import pytest
from tests.engine.play import random_board
from tests.table.sitting import S, Sitting

from kiery.cards import SUIT_MASKS, CardMask, card_numbers
from kiery.engine import Board
from kiery.rules import Rules, preset
from kiery.table import TableState
from kiery.terms import FaultPolicy, ForcedActions, TimeControl
from kiery.v1 import play_pb2
from kiery.view import Action, DecisionKind
from kiery.wire import fill_update

Script = list[tuple[int, str, bytes]]
"""Who did what: an answer, a refused answer, a lost stream, time out; with the cards."""


class World:
    """A table on given cards, with every byte that one seat is told."""

    def __init__(self, rules: Rules, board: Board, viewer: int) -> None:
        self.viewer = viewer
        self.told = bytearray()
        self.sitting = Sitting(
            rules,
            board_of=lambda _: board,
            deals=1,
            time=TimeControl(bank_ms=0),
            faults=FaultPolicy(faults_per_deal=2),
            forced=ForcedActions.ASK,
        )
        for seat in range(rules.num_players):
            self.sitting.table.connect(seat, 0, immediate=seat == viewer, every_decision=True)
        self.write()
        for seat in range(rules.num_players):
            self.sitting.answer(seat)
        self.write()

    def write(self) -> None:
        sitting = self.sitting
        due = dict.fromkeys(sitting.table.due)
        sitting.table.due.clear()
        for seat in due:
            for update in sitting.table.take(seat, sitting.now):
                if seat == self.viewer:
                    message = play_pb2.TableUpdate()
                    fill_update(message, 7, update)
                    self.told += message.SerializeToString(deterministic=True)
            sitting.table.written(seat, sitting.now)

    def do(self, seat: int, what: str, cards: bytes) -> None:
        sitting = self.sitting
        sitting.now += 1_000_000
        decision_id = sitting.place(seat).decision_id
        if what == "answer":
            sitting.table.answer(seat, decision_id, Action(cards=cards), sitting.now)
        elif what == "lost":
            sitting.table.disconnect(seat, sitting.now)
            sitting.now += S
            sitting.table.connect(
                seat, sitting.now, position=None, immediate=seat == self.viewer, every_decision=True
            )
        else:
            sitting.now += 3 * S
            sitting.table.expire(seat, sitting.now)
        self.write()


def script_of(world: World, chance: Random) -> Script:
    """Plays a part of a deal by chance; the viewer errs, is lost and is late, the others only err."""
    script: Script = []
    stop = chance.randrange(4, 40)
    while len(world.sitting.table.match.deal.cards) < stop:
        if world.sitting.state is not TableState.PLAYING:
            break
        seat = next(seat for seat in range(len(world.sitting.seats)) if world.sitting.asked(seat))
        action = ("answer", world.sitting.any_action(seat).cards)
        dice = chance.random()
        if dice < 0.1:
            action = ("answer", b"\xf0\xf1\xf2")
        elif seat == world.viewer and dice < 0.15:
            action = ("lost", b"")
        elif seat == world.viewer and dice < 0.2:
            action = ("late", b"")
        world.do(seat, *action)
        script.append((seat, *action))
    return script


def swapped(board: Board, first: int, second: int, one: int, other: int) -> Board:
    hands = list(board.hands)
    hands[first] = hands[first] & ~(1 << one) | 1 << other
    hands[second] = hands[second] & ~(1 << other) | 1 << one
    return Board(number=board.number, hands=tuple(hands), kitty=board.kitty)


@pytest.mark.parametrize(("name", "players"), [("hearts", 4), ("omnibus", 5), ("specjalny", 4)])
def test_swapping_unseen_cards_of_two_other_seats_changes_no_byte(name: str, players: int) -> None:
    rules = preset(name, players)
    compared = 0
    for seed in range(25):
        chance = Random(seed)
        board = random_board(rules, 1 + seed % 4, chance)
        viewer = chance.randrange(players)
        first, second = chance.sample([seat for seat in range(players) if seat != viewer], 2)
        world = World(rules, board, viewer)
        script = script_of(world, chance)
        deal = world.sitting.table.match.deal
        pair = same_suit_pair(
            deal.hands[first] & board.hands[first], deal.hands[second] & board.hands[second]
        )
        if pair is None or deal.phase.name == "SCORED":
            continue

        twin = World(rules, swapped(board, first, second, *pair), viewer)
        for step in script:
            twin.do(*step)

        if bytes(twin.sitting.table.match.deal.cards) != bytes(deal.cards):
            continue  # the swap made some play of the others illegal, so the worlds differ in public
        assert bytes(twin.told) == bytes(world.told), seed
        assert twin.sitting.table.match.deal.hands != deal.hands
        compared += 1
    assert compared >= 10


def same_suit_pair(one: CardMask, other: CardMask) -> tuple[int, int] | None:
    """Returns a card of each hand in the same suit, neither the lowest club nor a penalty card's twin."""
    for suit in SUIT_MASKS[1:]:
        mine, yours = card_numbers(one & suit), card_numbers(other & suit)
        if mine and yours:
            return mine[0], yours[0]
    return None


def test_a_refusal_of_another_seats_answer_changes_nothing_for_the_viewer() -> None:
    rules = preset("hearts", 4)
    board = random_board(rules, 1, Random(3))
    quiet, noisy = World(rules, board, 0), World(rules, board, 0)
    other = 1

    for world in (quiet, noisy):
        decision = world.sitting.asked(other)
        assert decision is not None
        assert decision.kind is DecisionKind.PASS
        if world is noisy:
            world.do(other, "answer", b"\xf0")
            world.do(other, "answer", bytes(card_numbers(decision.legal)[:3]))

    assert bytes(quiet.told) == bytes(noisy.told)
