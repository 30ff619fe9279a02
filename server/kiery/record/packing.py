"""All cards of a deal as one number in mixed radix: a third of the bytes of plain card numbers.

From the least significant digit on:

1. how many cards were played, and whether cards were passed (radix 2);
2. for each card of the deck, ascending, twins together: the seat that was dealt it, or the number of
   seats for the kitty;
3. for each seat that passed, each card's place in its ascending hand, the ones before taken out;
4. the leader of the first trick, then who took each complete trick, the number of seats for nobody;
5. for each play, the card's place in the ascending hand.

Nothing here knows what is legal: a number unpacks to the same cards whatever the rules engine becomes.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from kiery.cards import CardMask, add_card, card_numbers, mask_of
from kiery.record.errors import MalformedRecordError
from kiery.rules import NOBODY, Rules

__all__ = ["PackedCards", "pack_cards", "seats_round", "unpack_cards"]

_BYTE_BITS: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedCards:
    """What a packed number holds; the fields are those of `DealRecord`."""

    hands: tuple[CardMask, ...]
    """The dealt hands by seat."""
    kitty: CardMask
    """The undealt cards."""
    passes: tuple[CardMask, ...]
    """What each seat passed; no entries: nobody did."""
    seats: bytes
    """Who played, in order."""
    cards: bytes
    """What was played, in order."""
    winners: bytes
    """Who took each complete trick; 127: nobody."""


def seats_round(leader: int, winners: bytes, plays: int, players: int) -> bytes:
    """Returns the seats of the plays of a deal: each trick goes round from whoever took the one before.

    Raises:
        MalformedRecordError: There are fewer winners than complete tricks before the last play.
    """
    seats = bytearray()
    for trick in range(-(-plays // players)):
        if trick:
            if trick > len(winners):
                raise MalformedRecordError("a trick has no winner")
            # Nobody took it: the same seat leads again.
            leader = winners[trick - 1] if winners[trick - 1] != NOBODY else leader
        seats += bytes((leader + offset) % players for offset in range(players))
    return bytes(seats[:plays])


def pack_cards(rules: Rules, pass_offset: int, deal: PackedCards) -> bytes:
    """Returns the cards of a deal as one number, little-endian.

    Args:
        rules: Decide the deck and the seats.
        pass_offset: Seats clockwise that cards were passed.
        deal: The cards.

    Raises:
        MalformedRecordError: The cards are not the deck, a seat passed or played what it did not hold, or
            the plays do not go round the table.
    """
    number = 0
    for digit, radix in reversed(list(_digits(rules, pass_offset, deal))):
        if not 0 <= digit < radix:
            raise MalformedRecordError("the plays do not go round the table")
        number = number * radix + digit
    return number.to_bytes((number.bit_length() + _BYTE_BITS - 1) // _BYTE_BITS, "little")


def _digits(rules: Rules, pass_offset: int, deal: PackedCards) -> Iterator[tuple[int, int]]:
    players = rules.num_players
    yield len(deal.cards), rules.deck_size + 1
    yield bool(deal.passes), 2
    holders: dict[int, list[int]] = {}
    for holder, mask in enumerate((*deal.hands, deal.kitty)):
        for card in card_numbers(mask):
            holders.setdefault(card, []).append(holder)
    deck = card_numbers(rules.deck)
    if sorted(deck) != sorted(card for card, seats in holders.items() for _ in seats):
        raise MalformedRecordError("the hands and the kitty are not the deck of these rules")
    for card in deck:
        yield holders[card].pop(0), players + bool(rules.kitty_size)
    hands = [list(card_numbers(hand)) for hand in deal.hands]
    if deal.passes:
        if not pass_offset:
            raise MalformedRecordError("cards were passed where nobody passes")
        for seat, passed in enumerate(deal.passes):
            for card in card_numbers(passed):
                yield _take(hands[seat], card)
        for seat, passed in enumerate(deal.passes):
            taker = hands[(seat + pass_offset) % players]
            taker[:] = sorted((*taker, *card_numbers(passed)))
    yield from _play_digits(players, hands, deal)


def _play_digits(players: int, hands: list[list[int]], deal: PackedCards) -> Iterator[tuple[int, int]]:
    if not deal.cards:
        return
    leader, plays = deal.seats[0], len(deal.cards)
    if len(deal.winners) != plays // players or deal.seats != seats_round(
        leader, deal.winners, plays, players
    ):
        raise MalformedRecordError("the plays do not go round the table")
    yield leader, players
    for winner in deal.winners:
        yield players if winner == NOBODY else winner, players + 1
    for seat, card in zip(deal.seats, deal.cards, strict=True):
        yield _take(hands[seat], card)


def _take(hand: list[int], card: int) -> tuple[int, int]:
    """Takes a card out of a hand and returns its place with the size of the hand."""
    size = len(hand)
    if card not in hand:
        raise MalformedRecordError(f"card {card} was passed or played by a seat that did not hold it")
    place = hand.index(card)
    del hand[place]
    return place, size


class _Digits:
    """Takes one digit after the other off a number."""

    __slots__ = ("_number",)

    def __init__(self, packed: bytes) -> None:
        self._number = int.from_bytes(packed, "little")

    def next(self, radix: int) -> int:
        """Returns the next digit.

        Raises:
            MalformedRecordError: There is nothing to choose from: an empty hand.
        """
        if not radix:
            raise MalformedRecordError("a seat plays or passes more cards than it holds")
        self._number, digit = divmod(self._number, radix)
        return digit

    def end(self) -> None:
        """Refuses a number that holds more."""
        if self._number:
            raise MalformedRecordError("there are more cards than the deal has")


def unpack_cards(rules: Rules, pass_offset: int, packed: bytes) -> PackedCards:
    """Returns the cards of a packed deal; inverse of `pack_cards`.

    Raises:
        MalformedRecordError: The number is not that of a deal under these rules.
    """
    players = rules.num_players
    # No number of a deal is longer: fewer than log2(12) + log2(104) bits a card, passes and winners included.
    if len(packed) > 4 * rules.deck_size:
        raise MalformedRecordError("the cards of the deal are too long")
    digits = _Digits(packed)
    plays, has_passes = digits.next(rules.deck_size + 1), digits.next(2)
    dealt = [0] * (players + 1)
    for card in card_numbers(rules.deck):
        holder = digits.next(players + bool(rules.kitty_size))
        dealt[holder] = add_card(dealt[holder], card)
    hands = [list(card_numbers(hand)) for hand in dealt[:players]]
    passes: list[CardMask] = []
    if has_passes:
        passed = [[hand.pop(digits.next(len(hand))) for _ in range(rules.pass_count)] for hand in hands]
        for seat, cards in enumerate(passed):
            taker = hands[(seat + pass_offset) % players]
            taker[:] = sorted((*taker, *cards))
        passes = [mask_of(cards) for cards in passed]
    leader = digits.next(players) if plays else 0
    winners = bytearray()
    for _ in range(plays // players):
        winner = digits.next(players + 1)
        winners.append(NOBODY if winner == players else winner)
    seats = seats_round(leader, bytes(winners), plays, players)
    played = bytes([_pop(hands[seat], digits) for seat in seats])
    digits.end()
    return PackedCards(
        hands=tuple(dealt[:players]),
        kitty=dealt[players],
        passes=tuple(passes),
        seats=seats,
        cards=played,
        winners=bytes(winners),
    )


def _pop(hand: list[int], digits: _Digits) -> int:
    return hand.pop(digits.next(len(hand)))
