"""Tournaments of policies through engine and tally alone: thousands of deals without a process."""

from collections.abc import Callable, Sequence

from kiery.cards import card_numbers, mask_of
from kiery.engine import Derivation, Match, Stream, derive_board
from kiery.policy import POLICIES, act
from kiery.rules import MatchLength, MoonChoice
from kiery.tournament import DealRow, Fixture, TournamentSpec, label
from kiery.view import Action, Decision, DecisionKind, Observation, Phase

Choose = Callable[[Observation, Stream], Action]
"""How a bot answers."""


def policy(name: str) -> Choose:
    """Returns a built-in bot."""
    chosen = POLICIES[name]
    return lambda observation, chance: act(chosen, observation, chance)


def wobbly(name: str, percent: int) -> Choose:
    """Returns a built-in bot that plays any legal card in so many of a hundred plays."""
    chosen = POLICIES[name]

    def choose(observation: Observation, chance: Stream) -> Action:
        if observation.kind is DecisionKind.PLAY and chance.below(100) < percent:
            legal = card_numbers(observation.legal_mask)
            return Action(cards=bytes((legal[chance.below(len(legal))],)))
        return act(chosen, observation, chance)

    return choose


def play_fixture(
    spec: TournamentSpec, derivation: Derivation, fixture: Fixture, bots: Sequence[Choose]
) -> list[DealRow]:
    """Plays a fixture's deals and returns their rows; `bots` stand by entrant."""
    rules = spec.played_rules
    chance = derivation.stream(f"{spec.name}/house/{fixture.index + 1}")

    def board(number: int):
        name = label(spec.name, fixture.stream, 1, number)
        return derive_board(rules, number, name, derivation.key(name))

    match = Match(rules, MatchLength(deal_limit=fixture.deal_count), board)

    def decide(seat: int, kind: DecisionKind, legal: int, count: int) -> bytes:
        view = match.observe(seat, decision=Decision(kind=kind, legal=legal, count=count))
        return bytes(bots[fixture.seats[seat]](view, chance).cards)

    rows = []
    while not match.over:
        match.start_deal()
        deal = match.deal
        if deal.phase is Phase.PASSING:
            for seat in range(rules.num_players):
                match.choose_pass(
                    seat, mask_of(decide(seat, DecisionKind.PASS, deal.hands[seat], rules.pass_count))
                )
        while deal.phase is Phase.PLAYING:
            match.play(decide(deal.turn, DecisionKind.PLAY, deal.legal, 1)[0])
        if deal.phase is Phase.MOON_CHOICE:
            match.choose_moon(MoonChoice.ADD)
        rows.append(
            DealRow(
                fixture=fixture.index,
                set_index=fixture.set_index,
                unit=deal.board.label,
                seats=fixture.seats,
                points=deal.awarded or (),
                pack_points=rules.pack_points,
                shooter=deal.shooter,
            )
        )
    return rows
