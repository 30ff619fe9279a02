"""A person at the terminal: shows the table, asks for cards, reads them as text."""

import io
from collections.abc import Callable, Iterable

from kiery.cards import Card, CardTextError, cards_in, format_cards, mask_of, parse_card
from kiery.rules import MoonChoice
from kiery.view import (
    DealScored,
    DealStarted,
    KittyTaken,
    MatchEnded,
    MatchStarted,
    MoonShot,
    Observation,
    Play,
    Rejection,
)
from kiery_client import Bot, Event, TrickTaken

__all__ = ["Human"]


def _ask_terminal() -> str:
    """Returns a line from the standard input, without its end.

    Unbuffered on purpose: a thread that waits inside the buffered reader holds its lock, and an interpreter
    that ends meanwhile crashes on it.

    Raises:
        EOFError: There is no more input.
    """
    with io.open(0, "rb", buffering=0, closefd=False) as terminal:  # noqa: UP020
        line = terminal.readline()
    if not line:
        raise EOFError
    return line.decode(errors="replace").strip()


def _show_terminal(line: str) -> None:
    print(line, flush=True)  # noqa: T201  # what a person sees


class Human(Bot):
    """Lets a person play. For one table at a time."""

    name = "human"

    def __init__(
        self,
        read: Callable[[], str] = _ask_terminal,
        show: Callable[[str], None] = _show_terminal,
    ) -> None:
        """Talks through two functions: one returns a line typed or raises `EOFError`, one shows a line."""
        self._read = read
        self._show = show
        self._names: tuple[str, ...] = ()
        self._seat = 0

    def on_event(self, event: Event) -> None:
        """Shows what happens."""
        text = self._told(event)
        if text:
            self._show(text)

    def _told(self, event: Event) -> str:
        match event:
            case MatchStarted():
                self._names, self._seat = event.names, event.seat
                return f"\n{event.rules.preset}, {len(event.names)} players: {', '.join(event.names)}"
            case DealStarted():
                dealer, hand = self._name(event.dealer), format_cards(event.hand)
                return f"\nDeal {event.deal_number}, dealer {dealer}. Your hand: {hand}"
            case Play():
                return f"  {self._name(event.seat)}: {event.card}"
            case TrickTaken():
                return "  nobody takes it" if event.seat is None else f"  -> {self._name(event.seat)}"
            case KittyTaken():
                return f"  {self._name(event.seat)} takes the kitty: {format_cards(event.cards)}"
            case MoonShot():
                return f"{self._name(event.seat)} shot the moon: {event.choice.value}"
            case DealScored():
                return f"Points {self._by_seat(event.points)}; scores {self._by_seat(event.scores)}"
            case MatchEnded():
                return f"The match is over: {self._by_seat(event.scores)}"
            case Rejection():
                return f"Not taken: {event.illegality.message}"
            case _:
                return ""

    def _name(self, seat: int) -> str:
        if seat == self._seat and self._names:
            return "you"
        return self._names[seat] if seat < len(self._names) else f"seat {seat}"

    def _by_seat(self, numbers: tuple[int, ...]) -> str:
        return ", ".join(f"{self._name(seat)} {number}" for seat, number in enumerate(numbers))

    def pass_cards(self, observation: Observation) -> Iterable[Card]:
        """Returns the cards that the person names."""
        receiver = (observation.seat + observation.pass_offset) % observation.rules.num_players
        count = observation.choose_count
        question = f"Pass {count} cards to {self._name(receiver)} of {format_cards(observation.legal_mask)}: "
        return self._ask_cards(question, observation, count)

    def play(self, observation: Observation) -> Card:
        """Returns the card that the person names."""
        hand, legal = format_cards(observation.hand_mask), format_cards(observation.legal_mask)
        return self._ask_cards(f"Your hand {hand}\nPlay one of {legal}: ", observation, 1)[0]

    def choose_moon(self, observation: Observation) -> MoonChoice | None:
        """Returns what the person chooses; an empty line leaves it to the rules."""
        del observation
        choices = {choice.value: choice for choice in MoonChoice}
        while True:
            text = self._line(
                f"You shot the moon! {' or '.join(choices)}, or nothing for the usual: "
            ).lower()
            if not text:
                return None
            if text in choices:
                return choices[text]

    def _ask_cards(self, question: str, observation: Observation, count: int) -> tuple[Card, ...]:
        while True:
            words = self._line(question).upper().replace(",", " ").split()
            try:
                cards = mask_of(parse_card(word) for word in words)
            except CardTextError as error:
                self._show(str(error))
            except ValueError:
                self._show("The same card too often.")
            else:
                if len(words) == count and observation.legal_mask & cards == cards:
                    return cards_in(cards)
                self._show(f"Expected {count} of {format_cards(observation.legal_mask)}")

    def _line(self, question: str) -> str:
        self._show(question)
        try:
            return self._read()
        except EOFError:
            # The end of input is a goodbye, as Ctrl-C is.
            raise SystemExit(0) from None
