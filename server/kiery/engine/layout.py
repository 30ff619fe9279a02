"""Where the cards that a seat cannot see may lie: layouts drawn at random from what it knows.

A layout respects the number of cards in each hand, suits that a seat was seen not to follow, and the
cards that the viewer itself passed. It draws no conclusions from how anybody plays.
"""

from typing import Final

from kiery.cards import RANKS, CardMask, Seat, card_numbers, mask_of, without_cards
from kiery.engine.playout import Chance
from kiery.view import Observation, Phase

__all__ = ["Layout", "LayoutSampler"]

_SUITS: Final = 4

Layout = tuple[tuple[CardMask, ...], CardMask]
"""What each seat holds, and the kitty while nobody has taken it."""


class LayoutSampler:
    """Draws layouts that agree with one observation.

    Without a void that anybody has shown all layouts are equally likely. With voids the draw prefers none
    on purpose, but is not exactly uniform: cards with the fewest places are dealt first.
    """

    __slots__ = ("_known", "_own", "_places", "_room", "_seat", "_unseen")

    def __init__(self, observation: Observation) -> None:
        """Works out what is known.

        Raises:
            ValueError: The observation contradicts itself.
        """
        rules, seat = observation.rules, observation.seat
        players = rules.num_players
        self._seat = seat
        self._own = observation.hand_mask
        self._known: list[list[int]] = [[] for _ in range(players + 1)]
        """Cards whose place is known, by seat; the kitty last."""
        played: list[list[int]] = [[] for _ in range(players)]
        for who, card in zip(observation.seats, observation.cards, strict=True):
            played[who].append(card)
        if observation.phase is not Phase.PASSING and observation.passed_mask:
            receiver = (seat + observation.pass_offset) % players
            there = self._known[receiver]
            there += card_numbers(observation.passed_mask)
            for card in played[receiver]:
                if card in there:
                    there.remove(card)
        unseen = list(card_numbers(without_cards(rules.deck, self._own)))
        known = [card for there in self._known for card in there]
        for card in (*observation.cards, *card_numbers(observation.kitty_mask), *known):
            unseen.remove(card)
        self._unseen = unseen
        self._room = [rules.hand_size - len(played[who]) - len(self._known[who]) for who in range(players)]
        self._room[seat] = 0
        self._room.append(0 if observation.kitty_mask else rules.kitty_size)
        """Cards still to be dealt to each seat; the kitty last."""
        voids = _voids(observation)
        self._places = [
            [who for who in range(players + 1) if self._room[who] and suit not in voids.get(who, ())]
            for suit in range(_SUITS)
        ]
        """Who may hold a card of a suit."""
        if sum(self._room) != len(unseen):
            raise ValueError("the observation has not as many unseen cards as hidden places")

    def sample(self, chance: Chance) -> Layout:
        """Returns one layout.

        Raises:
            ValueError: No layout agrees with the observation.
        """
        random = chance.random
        cards = sorted(self._unseen, key=lambda _: random())
        dealt: list[list[int]] = [[] for _ in self._room]
        if all(places == self._places[0] for places in self._places):
            start = 0
            for who, room in enumerate(self._room):
                dealt[who] = cards[start : start + room]
                start += room
        else:
            cards.sort(key=lambda card: len(self._places[(card - 1) // RANKS]))
            for card in cards:
                self._deal(card, dealt, chance)
        hands = [mask_of(own + known) for own, known in zip(dealt, self._known, strict=True)]
        hands[self._seat] = self._own
        return tuple(hands[:-1]), hands[-1]

    def _deal(self, card: int, dealt: list[list[int]], chance: Chance) -> None:
        """Gives a card to one of those who may hold it, each as likely as it has room."""
        places = self._places[(card - 1) // RANKS]
        rooms = [self._room[who] - len(dealt[who]) for who in places]
        ticket = int(chance.random() * sum(rooms))
        for who, room in zip(places, rooms, strict=True):
            if ticket < room:
                dealt[who].append(card)
                return
            ticket -= room
        if not self._make_room(card, dealt, set()):
            raise ValueError("no layout agrees with the observation")

    def _make_room(self, card: int, dealt: list[list[int]], tried: set[Seat]) -> bool:
        """Gives a card to a full hand whose own card can go elsewhere: an augmenting path."""
        for who in self._places[(card - 1) // RANKS]:
            if who in tried:
                continue
            tried.add(who)
            if len(dealt[who]) < self._room[who]:
                dealt[who].append(card)
                return True
            for place, other in enumerate(dealt[who]):
                if self._make_room(other, dealt, tried):
                    dealt[who][place] = card
                    return True
        return False


def _voids(observation: Observation) -> dict[Seat, set[int]]:
    """Returns the suits that each seat was seen not to follow."""
    players = observation.rules.num_players
    voids: dict[Seat, set[int]] = {}
    led = 0
    for index, (seat, card) in enumerate(zip(observation.seats, observation.cards, strict=True)):
        suit = (card - 1) // RANKS
        if index % players == 0:
            led = suit
        elif suit != led:
            voids.setdefault(seat, set()).add(led)
    return voids
