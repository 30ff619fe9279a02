"""Transcripts: the matches of the vectors are accepted; what breaks a rule is refused where it does."""

import json
from collections import Counter
from contextlib import suppress
from copy import deepcopy
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.record.matches import header_of, played_match, record_of, sample_record
from tests.record.referee import Place, first_fault
from tests.rules.vectors import matches

from kiery.record import (
    DisagreementError,
    RecordError,
    TranscriptError,
    parse_transcript,
    to_transcript,
    verify_transcript,
)
from kiery.rules import PRESETS, rules_from
from kiery.terms import MatchCause

MATCHES = matches()
CARDS = [rank + suit for suit in "CDSH" for rank in "23456789TJQKA"]


def refusal(transcript) -> DisagreementError | None:
    """Returns the disagreement about a transcript, none if it is accepted."""
    try:
        verify_transcript(transcript)
    except DisagreementError as error:
        return error
    return None


def of(**wanted):
    """Returns a copy of the first match of the vectors that has these values."""
    return deepcopy(next(match for match in MATCHES if wanted.items() <= match.items()))


def small_match(**changes):
    """Returns one short transcript to change."""
    return (
        deepcopy(next(match for match in MATCHES if match["preset"] == "hearts" and match["deal_limit"]))
        | changes
    )


@pytest.mark.parametrize("index", range(len(MATCHES)))
def test_every_match_of_the_vectors_is_accepted(index):
    assert refusal(MATCHES[index]) is None


@pytest.mark.parametrize(
    ("preset", "players"),
    [(preset.name, players) for preset in PRESETS.values() for players in preset.players],
)
def test_a_record_of_every_preset_is_written_in_the_form_and_read_back(preset, players):
    record = sample_record(preset, players, deals=2)

    transcript = json.loads(json.dumps(to_transcript(record)))

    assert list(transcript) == [
        "preset", "players", "target", "deal_limit", "deals", "finished", "winners",
    ]  # fmt: skip
    assert list(transcript["deals"][0]) == [
        "number", "dealer", "hands", "kitty", "passes", "plays", "moon", "points", "totals",
    ]  # fmt: skip
    assert refusal(transcript) is None
    assert first_fault(transcript) is None


def test_overridden_rules_stand_in_the_transcript_and_are_obeyed():
    rules = rules_from("hearts", 4, {"max_deals": 2, "moon": "shooter_minus", "target_score": 70})
    header = header_of(rules, deal_limit=None)
    transcript = to_transcript(record_of(header, played_match(header)))

    assert transcript["rules"] == {"max_deals": 2, "moon": "shooter_minus"}
    assert transcript["target"] == 70
    assert refusal(transcript) is None
    del transcript["rules"]
    assert refusal(transcript) is not None


# Changes. Each takes a transcript of its own and a source of chance, and says what it did.


def change_played_card(match, chance):
    play = chance.choice(chance.choice(match["deals"])["plays"])
    play[1] = chance.choice([card for card in CARDS if card != play[1]])


def change_seat(match, chance):
    play = chance.choice(chance.choice(match["deals"])["plays"])
    play[0] = (play[0] + chance.randrange(1, match["players"])) % match["players"]


def swap_plays(match, chance):
    plays = chance.choice(match["deals"])["plays"]
    one = chance.randrange(len(plays) - 1)
    plays[one][1], plays[one + 1][1] = plays[one + 1][1], plays[one][1]


def change_dealt_card(match, chance):
    hand = chance.choice(chance.choice(match["deals"])["hands"])
    place = chance.randrange(len(hand))
    hand[place] = chance.choice([card for card in CARDS if card != hand[place]])


def swap_dealt_cards(match, chance):
    one, other = chance.sample(chance.choice(match["deals"])["hands"], 2)
    first, second = chance.randrange(len(one)), chance.randrange(len(other))
    one[first], other[second] = other[second], one[first]


def change_pass(match, chance):
    deals = [deal for deal in match["deals"] if deal["passes"]]
    if not deals:
        chance.choice(match["deals"])["passes"] = {"0": [chance.choice(CARDS)]}
        return
    passed = chance.choice(list(chance.choice(deals)["passes"].values()))
    passed[0] = chance.choice([card for card in CARDS if card != passed[0]])


def change_choice(match, chance):
    moons = [deal["moon"] for deal in match["deals"] if deal["moon"]]
    if not moons:
        chance.choice(match["deals"])["moon"] = {"seat": 0, "choice": "add"}
        return
    moon = chance.choice(moons)
    moon["choice"] = "add" if moon["choice"] == "subtract" else "subtract"


def change_total(match, chance):
    totals = chance.choice(match["deals"])["totals"]
    totals[chance.randrange(len(totals))] += chance.choice([-1, 1, 13])


def change_points(match, chance):
    points = chance.choice(match["deals"])["points"]
    points[chance.randrange(len(points))] += chance.choice([-1, 1, 26])


def change_dealer(match, chance):
    deal = chance.choice(match["deals"])
    deal["dealer"] = (deal["dealer"] + 1) % match["players"]


def change_ending(transcript, chance):
    match chance.randrange(7):
        case 0:
            transcript["finished"] = False
        case 1:
            transcript["winners"].append(99)
        case 2:
            transcript["winners"].pop()
        case 3:
            transcript["deals"].pop()
        case 4:
            again = {**transcript["deals"][-1], "number": len(transcript["deals"]) + 1}
            transcript["deals"].append(again)
        case 5:
            transcript["deals"][0]["plays"].pop()
        case 6:
            transcript["deals"][-1]["plays"].append([0, "2C"])


CHANGES = [
    change_played_card, change_seat, swap_plays, change_dealt_card, swap_dealt_cards, change_pass,
    change_choice, change_total, change_points, change_dealer, change_ending,
]  # fmt: skip
ALWAYS_WRONG = {change_seat, change_total, change_points, change_ending, change_dealt_card}
ROUNDS = 18


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_transcript_is_refused_exactly_where_a_second_judge_refuses_it(change):
    """198 transcripts, each with one change; a change may break no rule, and then it is accepted."""
    verdicts = Counter()
    for number in range(ROUNDS):
        chance = Random(f"{change.__name__} {number}")
        match = deepcopy(chance.choice([match for match in MATCHES if len(match["deals"]) <= 5]))
        change(match, chance)

        found, expected = refusal(match), first_fault(match)

        place = None if found is None else Place(found.deal, found.trick, found.seat)
        if expected is None or place is None:
            assert place == expected, (number, found)
        else:
            assert (
                place[: 1 if expected.trick is None and expected.seat is None else 3]
                == expected[: 1 if expected.trick is None and expected.seat is None else 3]
            ), (number, found)
        verdicts[place is not None] += 1
    if change in ALWAYS_WRONG:
        assert verdicts[False] == 0
    assert verdicts[True] >= ROUNDS // 6


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("players", "four"),
        ("players", True),
        ("players", 4.0),
        ("players", 10**12),
        ("players", 99),
        ("preset", None),
        ("preset", "bridge"),
        ("target", "none"),
        ("target", 0),
        ("deal_limit", 0),
        ("deal_limit", -3),
        ("rules", []),
        ("rules", {"speed": 1}),
        ("rules", {"moon": "big"}),
        ("rules", {"pass_cycle": [["left"]]}),
        ("deals", {}),
        ("deals", [7]),
        ("deals", [{}] * 10_001),
        ("finished", 1),
        ("winners", "0"),
        ("winners", [None]),
    ],
)
def test_a_malformed_part_is_named(name, found):
    with pytest.raises(TranscriptError, match=name) as caught:
        verify_transcript(small_match(**{name: found}))

    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("path", "found", "place"),
    [
        (["hands"], None, r"deals\[1\]\.hands"),
        (["hands", 2], "2C", r"deals\[1\]\.hands\[2\]"),
        (["hands", 2, 4], "1C", r"deals\[1\]\.hands\[2\]\[4\]"),
        (["hands", 2, 4], 7, r"deals\[1\]\.hands\[2\]\[4\]"),
        (["plays", 5], [0], r"deals\[1\]\.plays\[5\]"),
        (["plays", 5], ["0", "2C"], r"deals\[1\]\.plays\[5\]\[0\]"),
        (["plays", 5], [-1, "2C"], r"deals\[1\]\.plays\[5\]\[0\]"),
        (["passes"], [], r"deals\[1\]\.passes"),
        (["passes"], {"4": []}, r"deals\[1\]\.passes"),
        (["passes"], {"0": ["2C", "2C", "2C"]}, r"deals\[1\]\.passes\.0\[2\]"),
        (["moon"], {"seat": 0, "choice": "double"}, r"deals\[1\]\.moon\.choice"),
        (["moon"], {"seat": 0, "choice": []}, r"deals\[1\]\.moon\.choice"),
        (["moon"], 4, r"deals\[1\]\.moon"),
        (["points", 0], 1.5, r"deals\[1\]\.points\[0\]"),
        (["totals"], {}, r"deals\[1\]\.totals"),
        (["pass_number"], 0, r"deals\[1\]\.pass_number"),
        (["number"], None, r"deals\[1\]\.number"),
    ],
)
def test_a_malformed_part_of_a_deal_is_named(path, found, place):
    match = deepcopy(next(match for match in MATCHES if len(match["deals"]) == 4))
    part = match["deals"][1]
    for step in path[:-1]:
        part = part[step]
    part[path[-1]] = found

    with pytest.raises(TranscriptError, match=place):
        verify_transcript(match)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "no JSON"),
        ("{", "character 2"),
        (b"\xff", "no UTF-8 at byte 1"),
        ("[" * 100_000, "without end"),
        ("1" * 5000, "thousands of digits"),
    ],
)
def test_a_text_that_is_no_json_is_refused_in_one_line(text, what):
    with pytest.raises(TranscriptError, match=what) as caught:
        parse_transcript(text)

    assert "\n" not in str(caught.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(CARDS),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_any_json_at_all_is_refused_with_a_record_error(found):
    with pytest.raises(RecordError):
        verify_transcript(found)


@given(st.data())
def test_any_json_in_any_place_of_a_match_raises_nothing_but_a_record_error(data):
    match = small_match()
    part = match
    for _ in range(data.draw(st.integers(0, 5))):
        keys = list(part) if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else []
        key = data.draw(st.sampled_from(list(keys))) if keys else None
        if key is None or not isinstance(part[key], dict | list):
            break
        part = part[key]
    keys = list(part) if isinstance(part, dict) else list(range(len(part)))
    if keys:
        part[data.draw(st.sampled_from(keys))] = data.draw(JSON)

    with suppress(RecordError):
        verify_transcript(match)


def test_a_missing_target_takes_the_presets_own():
    match = of(target=None, deal_limit=None, preset="klasyk")

    assert refusal(match) is None
    match["target"] = 1
    assert refusal(match) is not None


def test_the_dealer_is_judged_only_where_the_dealers_left_opens():
    hearts = small_match()
    hearts["deals"][0]["dealer"] = 3
    maria = deepcopy(next(match for match in MATCHES if match["preset"] == "black_maria"))
    maria["deals"][0]["dealer"] = 1

    assert refusal(hearts) is None
    assert (refusal(maria).deal, refusal(maria).trick) == (1, None)


def test_the_pass_number_decides_who_passes_to_whom():
    match = deepcopy(next(match for match in MATCHES if "pass_number" in match["deals"][0]))

    assert refusal(match) is None
    del match["deals"][0]["pass_number"]
    assert refusal(match) is not None


@pytest.mark.parametrize("dealer_follows", ["number", "pass_number"])
def test_in_a_repeated_deal_the_dealer_may_follow_either_number(dealer_follows):
    """Black Maria passes to the right always, so the pass number leaves everything else as it is."""
    match = deepcopy(next(m for m in MATCHES if m["preset"] == "black_maria" and m["deal_limit"]))
    deal = match["deals"][0]
    deal["pass_number"] = 2 if dealer_follows == "number" else 1 + match["players"]

    assert refusal(match) is None
    deal["dealer"] = 2
    assert refusal(match).deal == 1


@pytest.mark.parametrize("preset", ["klasyk", "specjalny"])
def test_where_the_rules_leave_no_choice_the_moon_says_add(preset):
    match = deepcopy(
        next(m for m in MATCHES if m["preset"] == preset and any(deal["moon"] for deal in m["deals"]))
    )
    deal = next(deal for deal in match["deals"] if deal["moon"])
    assert deal["moon"]["choice"] == "add"

    deal["moon"]["choice"] = "subtract"

    assert (refusal(match).deal, refusal(match).seat) == (deal["number"], deal["moon"]["seat"])


def test_an_unfinished_match_may_stop_in_the_middle_of_a_deal():
    match = small_match(finished=False, winners=[])
    last = match["deals"][-1]
    del last["plays"][20:]
    last.update(points=[], totals=[], moon=None)

    assert refusal(match) is None
    match.update(finished=True)
    assert refusal(match).deal == last["number"]


def test_a_void_record_has_a_transcript_of_its_complete_deals():
    header = header_of(sample_record().header.rules)
    record = record_of(header, played_match(header, stop_after_plays=70), MatchCause.VOID_SERVER)

    transcript = to_transcript(record)

    assert (len(transcript["deals"]), transcript["finished"], transcript["winners"]) == (1, False, [])
    assert refusal(transcript) is None


def test_the_only_award_of_a_moon_may_be_called_add():
    """Where the rules take it off the shooter's score the form still says add; our own say subtract."""
    rules = rules_from("hearts", 3, {"moon": "shooter_minus"})
    for seed in range(200):
        header = header_of(rules, deal_limit=1)
        played = played_match(header, policies="random low random", seed=seed)
        if played.deals[0].shooter is not None:
            break
    transcript = to_transcript(record_of(header, played))

    assert transcript["deals"][0]["moon"]["choice"] == "subtract"
    assert refusal(transcript) is None
    transcript["deals"][0]["moon"]["choice"] = "add"
    assert refusal(transcript) is None


def test_a_record_of_a_repeated_board_says_which_pass_it_follows():
    header = header_of(sample_record().header.rules, deal_limit=1)
    record = record_of(header, played_match(header, first_board=3))

    transcript = to_transcript(record)

    assert transcript["deals"][0]["pass_number"] == 3
    assert refusal(transcript) is None


def test_a_transcript_beyond_all_measure_is_not_even_read(monkeypatch):
    monkeypatch.setattr("kiery.record.transcript.MAX_TEXT_BYTES", 10)

    with pytest.raises(TranscriptError, match="11 bytes: expected at most 10"):
        parse_transcript("[" * 11)


def test_a_long_wrong_value_is_cut_in_the_message():
    with pytest.raises(TranscriptError) as caught:
        verify_transcript(small_match(finished="x" * 10_000))

    assert len(str(caught.value)) < 120
