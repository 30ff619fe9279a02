"""Matches of built-in policies, played through the engine alone: material for the tests of records."""

from dataclasses import replace

from kiery.cards import mask_of
from kiery.engine import Derivation, Match, Stream, commitment_of, derive_board
from kiery.policy import POLICIES, act
from kiery.record import MatchHeader, MatchRecord, RecordEntrant, build_record
from kiery.record.chain import digest_of, links_of
from kiery.record.verify import expected_label
from kiery.rules import MatchLength, MoonChoice, Rules, preset
from kiery.terms import ActionCause, FaultPolicy, ForcedActions, MatchCause, SeatCause, TimeControl
from kiery.view import Decision, DecisionKind, Phase

SECRET = bytes(range(32))
START_MS = 1_780_000_000_000


def header_of(rules: Rules, **changes: object) -> MatchHeader:
    """Returns the header of fixture 3 of tournament `t1`, with fields changed by name."""
    header = MatchHeader(
        match_id="m3.1",
        tournament="t1",
        fixture=3,
        commitment=commitment_of(SECRET),
        rules=rules,
        deal_limit=4,
        entrants=tuple(RecordEntrant(name=f"bot-{seat}", version="1.0") for seat in range(rules.num_players)),
        engine="kiery/0.1.0",
        time_control=TimeControl(),
        fault_policy=FaultPolicy(),
    )
    return replace(header, **changes)  # type: ignore[arg-type]


def played_match(
    header: MatchHeader,
    *,
    policies: str = "random low cautious",
    seed: int = 1,
    think_ms: int = 0,
    stop_after_plays: int | None = None,
    first_board: int = 1,
) -> Match:
    """Returns a match played by policies in turn, from the boards that the secret deals.

    Args:
        header: Its rules, length and labels.
        policies: Names, repeated round the table.
        seed: Of the policies' random choices and of think times.
        think_ms: Upper bound of think times; 0: none are noted.
        stop_after_plays: Breaks the match off in the middle.
        first_board: The number of the first deal's board.
    """
    derivation = Derivation(SECRET, header.entropy)
    chance = Stream(seed.to_bytes(32, "big"))
    # Of its own, so that noting times does not change what is played.
    clock = Stream(bytes(32) + seed.to_bytes(32, "big"))
    names = policies.split()

    def board(deal: int):
        number = first_board + deal - 1
        label = expected_label(header, number) or f"own/main/{number}"
        return derive_board(header.rules, number, label, derivation.key(label))

    match = Match(header.rules, MatchLength(deal_limit=header.deal_limit), board)
    plays = 0

    def decide(seat: int, kind: DecisionKind, legal: int, count: int):
        view = match.observe(seat, decision=Decision(kind=kind, legal=legal, count=count))
        return act(POLICIES[names[seat % len(names)]], view, chance)

    while not match.over:
        match.start_deal()
        deal = match.deal
        notes = deal.notes
        if deal.phase is Phase.PASSING:
            for seat in range(header.rules.num_players):
                action = decide(seat, DecisionKind.PASS, deal.hands[seat], header.rules.pass_count)
                match.choose_pass(seat, mask_of(action.cards))
                notes.pass_causes[seat] = ActionCause.ANSWERED
                notes.pass_ms[seat] = clock.below(think_ms) if think_ms else 0
        while deal.phase is Phase.PLAYING:
            if plays == stop_after_plays:
                return match
            plays += 1
            forced = header.forced_actions is ForcedActions.AUTO and deal.legal.bit_count() == 1
            action = decide(deal.turn, DecisionKind.PLAY, deal.legal, 1)
            match.play(action.cards[0])
            notes.play_causes.append(ActionCause.FORCED if forced else ActionCause.ANSWERED)
            notes.play_ms.append(clock.below(think_ms) if think_ms and not forced else 0)
        if deal.phase is Phase.MOON_CHOICE:
            match.choose_moon(MoonChoice.ADD if chance.below(2) else None)
            notes.moon_cause = ActionCause.ANSWERED
    return match


def record_of(header: MatchHeader, match: Match, cause: MatchCause = MatchCause.COMPLETED) -> MatchRecord:
    """Returns the record of a match that took a minute."""
    return build_record(
        match,
        header,
        cause=cause,
        seat_causes=(SeatCause.COMPLETED,) * header.rules.num_players,
        start_ms=START_MS,
        end_ms=START_MS + 60_000,
    )


def sample_record(
    name: str = "hearts", players: int = 4, *, deals: int | None = 4, seed: int = 1
) -> MatchRecord:
    """Returns the record of a short match of a preset."""
    header = header_of(preset(name, players), deal_limit=deals)
    return record_of(header, played_match(header, seed=seed))


def hashed(record, deals=None, **changes):
    """Returns the record with changes and a hash chain that fits them."""
    record = replace(record, deals=tuple(deals if deals is not None else record.deals), **changes)
    links = links_of(record.header, record.deals)
    linked = [replace(deal, chain=link) for deal, link in zip(record.deals, links[1:], strict=True)]
    record = replace(record, deals=tuple(linked))
    return replace(record, digest=digest_of(links[-1], record))
