"""A record is built from a match, hashed, and believed only after it was played again."""

from dataclasses import fields, replace

import pytest
from tests.record.matches import SECRET, hashed, header_of, played_match, record_of, sample_record

from kiery.cards import parse_card, parse_cards, remove_card
from kiery.engine import Match
from kiery.record import DisagreementError, RecordEntrant, Substitution, verify_record
from kiery.record.chain import deal_link, digest_of, links_of
from kiery.record.values import DealRecord, MatchHeader
from kiery.rules import PRESETS, MatchLength, MoonChoice, preset
from kiery.terms import (
    ActionCause,
    FaultPolicy,
    ForcedActions,
    MatchCause,
    SeatCause,
    SubstitutionScope,
    TimeControl,
)

VARIANTS = [(preset.name, players) for preset in PRESETS.values() for players in preset.players]
HEADER = header_of(preset("hearts", 4))
RECORD = record_of(HEADER, played_match(HEADER, think_ms=900))


def with_deal(record, number, /, **changes):
    """Returns the record with one deal changed and the hash chain mended."""
    deals = list(record.deals)
    deals[number - 1] = replace(deals[number - 1], **changes)
    return hashed(record, deals)


def refusal(record, secret=None):
    """Returns the disagreement about a record."""
    with pytest.raises(DisagreementError) as caught:
        verify_record(record, secret)
    return caught.value


@pytest.mark.parametrize(("name", "players"), VARIANTS)
def test_a_match_of_every_preset_verifies_with_its_secret(name, players):
    verified = verify_record(sample_record(name, players, deals=2), SECRET)

    assert verified.boards_derived
    assert verified.deal_count == 2


def test_a_match_to_the_target_verifies():
    record = sample_record(deals=None)

    verified = verify_record(record)

    assert not verified.boards_derived
    assert verified.play_count == 52 * len(record.deals)
    assert max(record.scores) >= 100


def test_a_record_says_what_was_played():
    match = played_match(HEADER)
    record = record_of(HEADER, match)

    assert [deal.number for deal in record.deals] == [1, 2, 3, 4]
    assert [deal.dealer for deal in record.deals] == [0, 1, 2, 3]
    assert [deal.label for deal in record.deals] == [f"t1/f3/{number}" for number in (1, 2, 3, 4)]
    assert record.deals[3].passes == ()
    assert record.scores == match.scores
    assert record.digest == digest_of(record.deals[-1].chain, record)


def test_a_broken_off_match_verifies_and_has_no_placements():
    record = record_of(HEADER, played_match(HEADER, stop_after_plays=60), MatchCause.VOID_SERVER)

    assert verify_record(record, SECRET).play_count == 60
    assert (len(record.deals), record.deals[1].points, record.placements) == (2, (), ())
    assert "not over" in refusal(hashed(record, record.deals[:1], cause=MatchCause.COMPLETED)).what
    assert "stops here" in refusal(hashed(record, cause=MatchCause.COMPLETED)).what


def test_a_match_broken_off_before_its_exchange_verifies():
    match = Match(HEADER.rules, MatchLength(deal_limit=4), played_match(HEADER)._board_of)
    match.start_deal()
    match.choose_pass(2, remove_first(match.deal.hands[2], 3))

    record = record_of(HEADER, match, MatchCause.CANCELLED)

    assert record.deals[0].passes == ()
    assert verify_record(record, SECRET).play_count == 0


def remove_first(hand, count):
    """Returns the lowest cards of a hand."""
    mask = 0
    for _ in range(count):
        mask |= (hand & ~mask) & -(hand & ~mask)
    return mask


def test_a_header_of_another_match_is_refused():
    match = played_match(HEADER)
    with pytest.raises(ValueError, match="rules and length"):
        record_of(replace(HEADER, deal_limit=5), match)
    with pytest.raises(ValueError, match="one entrant"):
        record_of(replace(HEADER, entrants=()), match)


# What the rules say


def changed_card(record, number, index):
    """Returns the deal's plays with two cards of different seats exchanged."""
    cards = bytearray(record.deals[number - 1].cards)
    cards[index], cards[index + 1] = cards[index + 1], cards[index]
    return bytes(cards)


def test_an_illegal_play_is_placed_by_deal_trick_and_seat():
    error = refusal(with_deal(RECORD, 2, cards=changed_card(RECORD, 2, 20)))

    assert (error.deal, error.trick, error.seat) == (2, 6, RECORD.deals[1].seats[20])
    assert str(error).startswith(f"deal 2, trick 6, seat {error.seat}: ")
    assert error.metadata == {"deal": "2", "trick": "6", "seat": str(error.seat)}


def test_an_illegal_play_of_the_substitute_is_refused_like_any_other():
    causes = bytes([ActionCause.SUBSTITUTE] * 52)
    error = refusal(with_deal(RECORD, 2, cards=changed_card(RECORD, 2, 20), play_causes=causes))

    assert (error.deal, error.trick) == (2, 6)
    assert verify_record(with_deal(RECORD, 2, play_causes=causes)).play_count == 208


@pytest.mark.parametrize(
    ("changes", "place", "what"),
    [
        ({"number": 7}, (2, None, None), "numbered 7: expected 2"),
        ({"dealer": 3}, (2, None, None), "expected seat 1"),
        ({"board_number": 3}, (2, None, None), "dealt"),
        ({"points": (0, 0, 0, 26)}, (2, None, 0), "points are 0"),
        ({"totals": (0, 0, 0, 0)}, (2, None, 0), "totals are 0"),
        ({"points": ()}, (2, None, 0), "missing"),
        ({"shooter": 2}, (2, None, 2), "nobody did"),
        ({"passes": ()}, (2, None, 0), "0 cards were passed: expected 3"),
        ({"passes": (7 << 1, 0, 0, 0)}, (2, None, 0), "not all in the hand"),
        ({"winners": bytes([3]) * 13}, (2, 1, None), "winner"),
        ({"winners": b""}, (2, 1, None), "winner"),
        ({"seats": bytes(52)}, (2, 1, 0), "turn"),
        ({"seats": b"", "cards": b"", "play_ms": ()}, (2, 1, None), "stops here"),
        ({"hands": ()}, (2, None, None), "0 hands"),
        ({"hands": (14, 0, 0, 0)}, (2, None, 0), "3 cards were dealt: expected 13"),
        ({"kitty": 2}, (2, None, None), "dealt too often"),
        ({"passes": (0,)}, (2, None, None), "1 seats passed: expected 4"),
        ({"choice": MoonChoice.ADD}, (2, None, None), "awarded by add: expected nothing"),
        ({"seats": RECORD.deals[1].seats + b"\0", "cards": RECORD.deals[1].cards + b"\1", "play_ms": ()},
         (2, 13, 0), "after the last trick"),
        ({"cards": b"\0" + RECORD.deals[1].cards[1:]}, (2, 1, None), "number 0 is not in the hand"),
    ],
)  # fmt: skip
def test_whatever_the_rules_say_otherwise_is_refused(changes, place, what):
    error = refusal(with_deal(RECORD, 2, **changes))

    assert (error.deal, error.trick) == place[:2]
    assert place[2] is None or error.seat == place[2]
    assert what in error.what


def test_a_hand_with_a_card_dealt_twice_is_named():
    hands = list(RECORD.deals[0].hands)
    other = parse_cards("2C") if not hands[1] & 2 else parse_cards("3C")
    taken = hands[1] & -hands[1]
    hands[1] = remove_card(hands[1], taken.bit_length() - 1) | other

    error = refusal(with_deal(RECORD, 1, hands=tuple(hands)))

    assert error.deal == 1
    assert error.seat is not None
    assert "dealt too often" in error.what


def test_a_pass_where_nobody_passes_is_refused():
    error = refusal(with_deal(RECORD, 4, passes=(0, 14, 0, 0)))

    assert (error.deal, error.seat) == (4, 1)
    assert "expected none" in error.what


def test_a_card_that_these_rules_take_out_cannot_be_dealt():
    record = sample_record("hearts", 3, deals=1)
    hands = list(record.deals[0].hands)
    lowest = (hands[0] & -hands[0]).bit_length() - 1
    hands[0] = remove_card(hands[0], lowest) | parse_cards("2D")

    error = refusal(with_deal(record, 1, hands=tuple(hands)))

    assert (error.seat, error.what) == (0, "2D is not in the pack of these rules")


def test_a_kitty_that_lacks_a_card_is_refused():
    record = sample_record("cancellation", 5, deals=1)

    assert "cards of the pack are missing" in refusal(with_deal(record, 1, kitty=0)).what


def test_points_without_play_are_refused():
    record = record_of(HEADER, played_match(HEADER, stop_after_plays=0), MatchCause.VOID_SERVER)
    error = refusal(with_deal(record, 1, passes=(), pass_ms=(), points=(0, 0, 0, 26)))

    assert (error.deal, error.seat, error.what) == (1, 0, "passed nothing")


def test_a_moon_nobody_chose_about_may_be_broken_off():
    record = moon_record()
    broken = with_deal(record, 1, choice=None, points=(), totals=())
    broken = hashed(broken, cause=MatchCause.VOID_SERVER, placements=())

    assert verify_record(broken).deal_count == 1


def test_every_seat_needs_an_end_cause():
    assert "end cause" in refusal(hashed(RECORD, seat_causes=())).what


def test_a_deal_after_the_end_is_refused():
    more = [*RECORD.deals, replace(RECORD.deals[0], number=5)]

    assert (
        refusal(hashed(RECORD, more)).deal,
        "over after deal 4" in refusal(hashed(RECORD, more)).what,
    ) == (5, True)


def test_placements_must_follow_from_the_scores():
    assert "placements" in refusal(hashed(RECORD, placements=(1, 1, 1, 1))).what


def moon_record():
    """Returns a record with a moon, and the deal it is in."""
    for seed in range(200):
        header = header_of(preset("hearts", 3), deal_limit=1, match_id=f"m{seed}", fixture=seed)
        record = record_of(header, played_match(header, policies="random low random", seed=seed))
        if record.deals[0].shooter is not None:
            return record
    raise AssertionError("no moon in 200 deals")


def test_a_moon_is_awarded_as_its_shooter_chose():
    record = moon_record()
    deal = record.deals[0]
    other = MoonChoice.ADD if deal.choice is MoonChoice.SUBTRACT else MoonChoice.SUBTRACT

    assert verify_record(record, SECRET).deal_count == 1
    assert refusal(with_deal(record, 1, choice=other)).what.startswith("points are")
    assert "no choice" in refusal(with_deal(record, 1, choice=None)).what
    assert "nobody" in refusal(with_deal(record, 1, shooter=None, choice=None)).what


# What nobody can prove must at least have the right shape


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"play_ms": (1,)}, "play_ms has 1 entries: expected 52"),
        ({"pass_causes": b"\1"}, "pass_causes has 1"),
        ({"play_causes": bytes([9] * 52)}, "unknown cause"),
        ({"faults": (1, 2)}, "faults has 2"),
        ({"faults": (-1, 0, 0, 0)}, "negative"),
        ({"play_causes": bytes([2] * 52)}, "called forced, but the seats were asked"),
        ({"seats": b"\0"}, "1 seats for 52 plays"),
        (
            {
                "substitutions": (
                    Substitution(
                        seat=4, cause=SeatCause.TIMEOUT, scope=SubstitutionScope.DEAL, after_plays=0
                    ),
                )
            },
            "substitution",
        ),
    ],
)
def test_columns_of_the_wrong_shape_are_refused(changes, what):
    assert what in refusal(with_deal(RECORD, 2, **changes)).what


def test_a_forced_play_must_have_been_the_only_legal_card():
    header = header_of(HEADER.rules, forced_actions=ForcedActions.AUTO)
    record = record_of(header, played_match(header))
    causes = record.deals[0].play_causes
    free = causes.index(ActionCause.ANSWERED)

    assert ActionCause.FORCED in causes
    assert verify_record(record).deal_count == 4
    wrong = causes[:free] + bytes([ActionCause.FORCED]) + causes[free + 1 :]
    assert "called forced, but" in refusal(with_deal(record, 1, play_causes=wrong)).what


# The hash chain


def test_every_field_of_a_deal_is_in_the_hash():
    """Think times and causes as well: whatever is changed in the second deal breaks the chain there."""
    other = {
        "number": 9, "board_number": 9, "dealer": 0, "hands": (), "kitty": 2, "passes": (), "seats": b"\0",
        "cards": b"\1", "shooter": 3, "choice": MoonChoice.ADD, "points": (0,), "totals": (1,), "label": "x",
        "winners": b"\0", "pass_causes": b"\3\3\3\3", "play_causes": b"\3", "moon_cause": ActionCause.FORCED,
        "pass_ms": (1, 2, 3, 4), "play_ms": (7,), "moon_ms": 5, "faults": (0, 1, 0, 0),
        "rejections": (0, 0, 2, 0),
        "substitutions": (
            Substitution(seat=1, cause=SeatCause.ILLEGAL, scope=SubstitutionScope.MATCH, after_plays=3),
        ),
    }  # fmt: skip
    deal = RECORD.deals[1]

    assert set(other) | {"chain"} == {field.name for field in fields(DealRecord)}
    links = {deal_link(b"", replace(deal, **{name: value})) for name, value in other.items()}
    assert len(links | {deal_link(b"", deal)}) == len(other) + 1


def test_every_field_of_the_header_is_in_the_hash():
    other = {
        "match_id": "m9", "tournament": "t2", "fixture": None, "attempt": 2, "set_index": 0, "lap": 1,
        "entropy": b"e", "scheme": "other", "commitment": b"c", "rules": preset("omnibus", 4),
        "deal_limit": None, "entrants": (RecordEntrant(name="x"),), "engine": "kiery/9",
        "time_control": TimeControl(bank_ms=1), "fault_policy": FaultPolicy(retries=9),
        "forced_actions": ForcedActions.AUTO,
    }  # fmt: skip

    assert set(other) == {field.name for field in fields(MatchHeader)}
    heads = {links_of(replace(HEADER, **{name: value}), ())[0] for name, value in other.items()}
    assert len(heads | {links_of(HEADER, ())[0]}) == len(other) + 1


@pytest.mark.parametrize(
    "changes",
    [
        {"cause": MatchCause.CANCELLED, "placements": ()},
        {"seat_causes": (SeatCause.TIMEOUT,) * 4},
        {"start_ms": 1},
        {"end_ms": 1},
        {"digest": bytes(32)},
    ],
)
def test_a_changed_ending_does_not_have_the_digest(changes):
    assert "digest" in refusal(replace(RECORD, **changes)).what


def test_a_changed_time_breaks_the_chain_at_its_deal():
    deals = list(RECORD.deals)
    deals[2] = replace(deals[2], play_ms=(0, *deals[2].play_ms[1:]), moon_ms=4)

    error = refusal(replace(RECORD, deals=tuple(deals)))

    assert (error.deal, "chain" in error.what) == (3, True)


def test_a_digest_stays_what_it_was():
    """Pins the bytes that are hashed: a change of them would orphan every digest ever published."""
    record = sample_record(deals=2)

    assert record.digest.hex() == ("cd54875e7ece1ee0bc71955deb1a0ccd57ed3aad13bc9d9330c563b7aaaaf011")


# The secret


def test_another_secret_is_not_the_one_committed_to():
    assert "commitment" in refusal(RECORD, bytes(32)).what
    assert "31 bytes" in refusal(RECORD, bytes(31)).what


def test_other_cards_than_the_secret_deals_are_refused():
    hands = RECORD.deals[1].hands
    swapped = (hands[1], hands[0], *hands[2:])

    error = refusal(with_deal(RECORD, 2, hands=swapped), SECRET)

    assert (error.deal, error.seat) == (2, 0)
    assert "the secret deals" in error.what


@pytest.mark.parametrize(
    ("header", "label"),
    [
        ({}, "t1/f3/1"),
        ({"attempt": 2}, "t1/f3.2/1"),
        ({"set_index": 5, "lap": 2}, "t1/s5/1"),
        ({"set_index": 5, "lap": 1, "attempt": 3}, "t1/s5.3/1"),
    ],
)
def test_the_label_follows_from_set_fixture_and_attempt(header, label):
    header = header_of(HEADER.rules, deal_limit=1, **header)
    record = record_of(header, played_match(header))

    assert record.deals[0].label == label
    assert verify_record(record, SECRET).boards_derived
    other = hashed(replace(record, header=replace(header, attempt=7)))
    assert "expected t1/" in refusal(other, SECRET).what


@pytest.mark.parametrize("label", ["", "own/main", "own/main/2", "own/ma in/1", "own/main/01"])
def test_a_match_of_its_own_needs_a_label_with_its_board_number(label):
    header = header_of(HEADER.rules, deal_limit=1, fixture=None, tournament="")
    record = record_of(header, played_match(header))

    assert verify_record(record, SECRET).boards_derived
    assert "the board is called" in refusal(with_deal(record, 1, label=label), SECRET).what


def test_boards_of_another_scheme_cannot_be_derived():
    other = hashed(replace(RECORD, header=replace(HEADER, scheme="other-1")))

    assert "expected kiery-deal-1" in refusal(other, SECRET).what
    assert verify_record(other).deal_count == 4


def test_entropy_is_part_of_the_derivation():
    other = hashed(replace(RECORD, header=replace(HEADER, entropy=b"late")))

    assert refusal(other, SECRET).deal == 1


def test_causes_are_left_out_when_all_were_answered():
    match = played_match(HEADER)
    match.deals[0].notes.play_causes[5] = ActionCause.SUBSTITUTE
    match.deals[0].notes.faults[2] = 1

    record = record_of(HEADER, match)

    assert record.deals[0].play_causes[5] == ActionCause.SUBSTITUTE
    assert (record.deals[0].faults, record.deals[1].faults) == ((0, 0, 1, 0), ())
    assert record.deals[1].play_causes == b""
    assert verify_record(record, SECRET).deal_count == 4
    assert parse_card("2C") in record.deals[0].cards
