"""Any values that updates can carry, for properties."""

from hypothesis import strategies as st

from kiery.cards import mask_of
from kiery.rules import NOBODY, MoonChoice, Rules
from kiery.terms import (
    ActionCause,
    CloseCause,
    FaultPolicy,
    ForcedActions,
    MatchCause,
    RejectReason,
    SeatCause,
    SubstitutionScope,
    TimeControl,
)
from kiery.view import (
    CardsExchanged,
    DealScored,
    DealStarted,
    Decision,
    DecisionClosed,
    DecisionKind,
    Illegality,
    KittyTaken,
    MatchEnded,
    MatchStarted,
    MoonShot,
    News,
    Observation,
    Phase,
    Rejection,
    SeatSubstituted,
    Update,
)

COUNTS = st.integers(0, 2**32 - 1)
SCORES = st.integers(-(2**31), 2**31 - 1)
HASHES = st.sampled_from([b"", bytes(range(32))])
NUMBERS = st.integers(1, 52)
CARDS = st.lists(st.sampled_from([*range(1, 53), *range(1, 53)]), max_size=30).map(
    lambda cards: mask_of(card for card in set(cards) for _ in range(min(2, cards.count(card))))
)


def maybe(strategy):
    return st.none() | strategy


def seats(rules: Rules):
    return st.integers(0, rules.num_players - 1)


def each_seat(rules: Rules, values):
    return st.tuples(*[values] * rules.num_players)


def seat_sets(rules: Rules):
    return st.sets(seats(rules)).map(lambda chosen: tuple(sorted(chosen)))


def matches(rules: Rules):
    return st.builds(
        MatchStarted,
        match_id=st.text("abcxyz0189", min_size=1, max_size=16),
        seat=seats(rules),
        names=each_seat(rules, st.text(max_size=8)),
        rules=st.just(rules),
        deal_limit=COUNTS,
        time_control=st.builds(
            TimeControl,
            ready_ms=COUNTS,
            decision_ms=COUNTS,
            bank_ms=COUNTS,
            ceiling_ms=COUNTS,
            grace_ms=COUNTS,
        ),
        fault_policy=st.builds(
            FaultPolicy, retries=COUNTS, faults_per_deal=COUNTS, substitute=st.text(max_size=8)
        ),
        forced_actions=st.sampled_from(ForcedActions),
        tournament_id=st.text(max_size=8),
        commitment=HASHES,
        after=COUNTS,
    )


def ended(rules: Rules):
    return st.builds(
        MatchEnded,
        cause=st.sampled_from(MatchCause),
        placements=st.just(()) | each_seat(rules, seats(rules).map(lambda seat: seat + 1)),
        scores=each_seat(rules, SCORES),
        seat_causes=each_seat(rules, st.sampled_from(SeatCause)),
        digest=HASHES,
    )


def all_news(rules: Rules):
    return st.builds(
        News,
        match_started=maybe(matches(rules)),
        deal_started=maybe(
            st.builds(
                DealStarted,
                deal_number=COUNTS,
                dealer=seats(rules),
                hand=CARDS,
                pass_offset=seats(rules),
                key_hash=HASHES,
            )
        ),
        cards_exchanged=maybe(st.builds(CardsExchanged, passed=CARDS, received=CARDS)),
        substitutions=st.lists(
            st.builds(
                SeatSubstituted,
                seat=seats(rules),
                cause=maybe(st.sampled_from(SeatCause)),
                scope=st.sampled_from(SubstitutionScope),
            ),
            max_size=2,
        ),
        kitty_taken=maybe(st.builds(KittyTaken, seat=seats(rules), cards=CARDS)),
        moon_shot=maybe(st.builds(MoonShot, seat=seats(rules), choice=st.sampled_from(MoonChoice))),
        deal_scored=maybe(
            st.builds(DealScored, points=each_seat(rules, SCORES), scores=each_seat(rules, SCORES))
        ),
        match_ended=maybe(ended(rules)),
        closed=st.lists(
            st.builds(DecisionClosed, decision_id=COUNTS, cause=st.sampled_from(CloseCause)), max_size=2
        ),
        rejections=st.lists(
            st.builds(
                Rejection,
                decision_id=COUNTS,
                illegality=st.builds(
                    Illegality, reason=st.sampled_from(RejectReason), message=st.text(max_size=8)
                ),
                retries_left=COUNTS,
                fault=st.booleans(),
            ),
            max_size=2,
        ),
        pass_accepted=st.booleans(),
        faults=COUNTS,
    )


@st.composite
def plays(draw, rules: Rules):
    """Returns seats, cards and winners of some plays."""
    pairs = draw(st.lists(st.tuples(seats(rules), NUMBERS), max_size=20))
    tricks = len(pairs) // rules.num_players
    winners = draw(st.lists(seats(rules) | st.just(NOBODY), min_size=tricks, max_size=tricks))
    return bytes(seat for seat, _ in pairs), bytes(card for _, card in pairs), bytes(winners)


@st.composite
def observations(draw, rules: Rules, seat: int):
    """Returns a snapshot: a view without a decision."""
    played_by, cards, winners = draw(plays(rules))
    return Observation(
        rules=rules,
        seat=seat,
        deal_number=draw(COUNTS),
        phase=draw(st.sampled_from(Phase)),
        dealer=draw(seats(rules)),
        pass_offset=draw(seats(rules)),
        hand_mask=draw(CARDS),
        passed_mask=draw(CARDS),
        received_mask=draw(CARDS),
        seats=played_by,
        cards=cards,
        winners=winners,
        trick_size=len(cards) - len(winners) * rules.num_players,
        leader=draw(maybe(seats(rules))),
        points=draw(each_seat(rules, SCORES)),
        scores=draw(each_seat(rules, SCORES)),
        broken=draw(st.booleans()),
        kitty_mask=draw(CARDS),
        kitty_seat=draw(maybe(seats(rules))),
        substituted=draw(seat_sets(rules)),
        substituted_for_match=draw(seat_sets(rules)),
        faults=draw(COUNTS),
        grace_ms=draw(COUNTS),
    )


@st.composite
def decisions(draw):
    kind = draw(st.sampled_from(DecisionKind))
    if kind not in {DecisionKind.PASS, DecisionKind.PLAY}:
        return Decision(kind=kind)
    legal = draw(CARDS.filter(bool))
    return Decision(kind=kind, legal=legal, count=draw(st.integers(1, 13)))


@st.composite
def updates(draw, rules: Rules, seat: int):
    """Returns any update that a seat may be sent."""
    played_by, cards, winners = draw(plays(rules))
    update = Update(sequence=draw(COUNTS), seats=played_by, cards=cards, winners=winners)
    if cards:
        update.own_causes = draw(st.just(()) | st.lists(st.sampled_from(ActionCause), min_size=1, max_size=3))
    decision = draw(maybe(decisions()))
    if decision is not None:
        update.decision_id, update.decision = draw(st.integers(1, 2**32 - 1)), decision
        update.time_ms, update.bank_ms = draw(COUNTS), draw(COUNTS)
    update.news = draw(maybe(all_news(rules)))
    if update.news is not None and update.news.match_started is not None:
        seat = update.news.match_started.seat
    update.observation = draw(maybe(observations(rules, seat)))
    return update
