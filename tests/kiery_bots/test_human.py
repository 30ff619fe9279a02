"""A person at the terminal, typed by a script."""

import pytest
from tests.engine.play import asked, random_match
from tests.kiery_client.scripted_server import (
    announce,
    ask,
    deal,
    numbers,
    playing,
    scripted_server,
    started,
    update,
)
from tests.kiery_client.test_play import ENDED

from kiery.cards import parse_card
from kiery.rules import MoonChoice, preset
from kiery.terms import RejectReason
from kiery.view import DealScored, DecisionKind, Illegality, KittyTaken, MoonShot, Play, Rejection
from kiery_bots.human import Human
from kiery_client import Client, TrickTaken


class Terminal:
    """Types lines and keeps what was shown."""

    def __init__(self, *lines):
        self._lines = iter(lines)
        self.shown = []

    def read(self):
        line = next(self._lines, None)
        if line is None:
            raise EOFError
        return line

    def human(self):
        return Human(self.read, self.shown.append)

    @property
    def text(self):
        return "\n".join(self.shown)


def observation(kind=DecisionKind.PASS):
    match = random_match(preset("hearts", 4), 1)
    match.start_deal()
    assert asked(match.deal, 0).kind is kind
    return match.observe(0, decision=asked(match.deal, 0))


def test_cards_are_asked_for_until_they_fit() -> None:
    view = observation()
    first, second, third = view.hand[:3]
    elsewhere = next(card for card in range(1, 53) if card not in view.hand)
    terminal = Terminal(
        "what?",
        f"{first}",
        f"{first} {first} {first}",
        f"{first} {second} {second}",
        " ".join(map(str, [first, second, type(first)(elsewhere)])),
        f"  {third},{str(second).lower()} {first} ",
    )

    assert list(terminal.human().pass_cards(view)) == [first, second, third]
    assert "'WHAT?' is no card" in terminal.text
    assert "too often" in terminal.text
    assert terminal.text.count("Expected 3 of") == 3


@pytest.mark.parametrize(
    ("typed", "choice"),
    [(["add"], MoonChoice.ADD), (["SUBTRACT"], MoonChoice.SUBTRACT), ([""], None), (["both", ""], None)],
)
def test_a_moon_is_chosen_in_words(typed, choice) -> None:
    assert Terminal(*typed).human().choose_moon(observation()) is choice


def test_everything_that_happens_is_shown_with_names() -> None:
    terminal = Terminal()
    human = terminal.human()
    illegality = Illegality(reason=RejectReason.ILLEGAL_CARD, message="2H may not be played now")
    for event in (
        started(names=("ann", "bob", "cid", "dan")),
        Play(0, parse_card("2C")),
        Play(1, parse_card("5C")),
        TrickTaken(seat=1),
        TrickTaken(seat=None),
        KittyTaken(seat=2, cards=1 << numbers("QS")[0]),
        MoonShot(seat=3, choice=MoonChoice.ADD),
        DealScored(points=(1, 2, 3, 20), scores=(1, 2, 3, 20)),
        Rejection(decision_id=1, illegality=illegality, retries_left=1, fault=False),
        ENDED,
    ):
        human.on_event(event)

    for line in (
        "hearts, 4 players: ann, bob, cid, dan",
        "you: 2C",
        "bob: 5C",
        "-> bob",
        "nobody takes it",
        "cid takes the kitty: QS",
        "dan shot the moon: add",
        "scores you 1, bob 2, cid 3, dan 20",
        "Not taken: 2H may not be played now",
        "The match is over: you 0",
    ):
        assert line in terminal.text


async def test_a_person_plays_a_table() -> None:
    terminal = Terminal("qh", "4C")
    async with scripted_server() as server, playing(Client(terminal.human(), server.address, "t")):
        stream = await server.accept()
        hello = await stream.greet()
        await stream.send(announce(1))
        await stream.answer()
        await stream.send(deal(1, 2, seats=b"\1", cards=numbers("9C"), **ask("2C 4C")))
        answer = await stream.answer()
        await stream.send(update(1, 3, seats=b"\0", cards=numbers("4C")))
        await stream.no_answer_before_pong()

    assert hello.bot == "human"
    assert answer.cards == numbers("4C")
    assert "b: 9C" in terminal.text
    assert "Play one of 2C 4C:" in terminal.text


def test_the_end_of_input_ends_the_program() -> None:
    with pytest.raises(SystemExit) as caught:
        Terminal().human().play(observation())

    assert caught.value.code == 0
