"""Plays deals and matches for tests: boards as text or from a seed, and any legal action by chance."""

from collections.abc import Callable, Sequence
from copy import deepcopy
from random import Random
from typing import Any

from kiery.cards import EMPTY, card_numbers, cards_in, mask_of, parse_card, parse_cards
from kiery.engine import Board, Deal, Match, board_from_hands
from kiery.rules import FirstTrickBan, Leftover, MatchLength, Moon, MoonChoice, OpeningLead, Rules, preset
from kiery.view import Decision, DecisionKind, Phase


def deal(text: str) -> list[int]:
    """Returns hands written as `"2C 9C QH / 3C …"`, seat 0 first."""
    return [parse_cards(hand) for hand in text.split("/")]


def random_board(rules: Rules, number: int, chance: Random) -> Board:
    """Returns a board of shuffled cards."""
    cards = list(cards_in(rules.deck))
    chance.shuffle(cards)
    size = rules.hand_size
    hands = [mask_of(cards[seat * size : (seat + 1) * size]) for seat in range(rules.num_players)]
    return board_from_hands(rules, number, hands, mask_of(cards[size * rules.num_players :]))


def random_match(rules: Rules, seed: int, *, deal_limit: int | None = None) -> Match:
    """Returns a match whose boards follow from a seed."""
    return Match(
        rules,
        MatchLength(deal_limit=deal_limit),
        lambda number: random_board(rules, number, Random(seed * 1000 + number)),
    )


def asked(current: Deal, seat: int) -> Decision | None:
    """Returns what a seat is asked now."""
    match current.phase:
        case Phase.PASSING if current.passes[seat] is None:
            return Decision(kind=DecisionKind.PASS, legal=current.hands[seat], count=current.rules.pass_count)
        case Phase.PLAYING if current.turn == seat:
            return Decision(kind=DecisionKind.PLAY, legal=current.legal, count=1)
        case Phase.MOON_CHOICE if current.turn == seat:
            return Decision(kind=DecisionKind.MOON_CHOICE)
    return None


def act_by_chance(match: Match, chance: Random) -> int:
    """Does any one action that the rules allow now and returns the seat that acted."""
    current = match.deal
    if current.phase is Phase.PASSING:
        seat = chance.choice([seat for seat, cards in enumerate(current.passes) if cards is None])
        hand = cards_in(current.hands[seat])
        match.choose_pass(seat, mask_of(chance.sample(hand, current.rules.pass_count)))
    elif current.phase is Phase.PLAYING:
        seat = current.turn
        match.play(chance.choice(card_numbers(current.legal)))
    else:
        seat = current.turn
        match.choose_moon(chance.choice([None, *MoonChoice]))
    return seat


def play_deal(match: Match, chance: Random, each: Callable[[], None] = lambda: None) -> Deal:
    """Plays the next deal to its end by chance; calls `each` before every action and at the end."""
    match.start_deal()
    while match.deal.phase is not Phase.SCORED:
        each()
        act_by_chance(match, chance)
    each()
    return match.deal


def play_cards(current: Deal | Match, text: str) -> None:
    """Plays cards written as text, in order, for whoever's turn it is."""
    for word in text.split():
        current.play(parse_card(word))


def deal_of(rules: Rules, hands: Sequence[int], *, number: int = 1, kitty: int = EMPTY) -> Deal:
    """Returns a deal of given hands."""
    return Deal(rules, board_from_hands(rules, number, hands, kitty), number)


def small(hands: str, kitty: str = "", *, number: int = 1, **changes: Any) -> Deal:
    """Returns a deal of a pack that has just the cards in the hands and the kitty; seat 0 leads board 1."""
    masks, left = deal(hands), parse_cards(kitty)
    cards = [str(card) for mask in [*masks, left] for card in cards_in(mask)]
    pack = [f"{rank}{suit}" for suit in "CDSH" for rank in "23456789TJQKA"]
    decks = 2 if len(cards) != len(set(cards)) else 1
    removed = pack * decks
    for card in cards:
        removed.remove(card)
    values: dict[str, Any] = {
        "preset": "hearts",
        "num_players": len(masks),
        "num_decks": decks,
        "removed_cards": tuple(sorted(map(parse_card, removed))),
        "leftover": Leftover.KITTY_FIRST_TRICK if kitty else Leftover.NONE,
        "pass_count": 0,
        "opening_lead": OpeningLead.DEALER_LEFT,
        "first_dealer": len(masks) - 1,
        "first_trick_ban": FirstTrickBan.NONE,
        "must_break_hearts": False,
        "cancellation": decks == 2,
        "card_points": preset("hearts", 4).card_points,
        "moon": Moon.OFF,
        **changes,
    }
    return deal_of(Rules(**values), masks, number=number, kitty=left)


def state_of(current: Deal) -> dict[str, object]:
    """Returns everything in a deal, to compare before and after."""
    # Read first: what is worked out on demand is worked out then.
    shown = {name: getattr(current, name) for name in ("hands", "legal", "seats", "tricks")}
    kept = _attributes(current)
    kept |= {f"takings.{name}": value for name, value in _attributes(kept.pop("_takings")).items()}
    return {name: deepcopy(value) for name, value in (shown | kept).items()}


def _attributes(value: object) -> dict[str, object]:
    # A compiled class has no slots and names its attributes itself.
    names = getattr(type(value), "__slots__", None) or type(value).__mypyc_attrs__  # type: ignore[attr-defined]
    unchanging = {"board", "rules", "_board", "_rules"}
    return {name: getattr(value, name) for name in names if name not in unchanging}
