"""The whole matches of `tests/vectors`, played card by card."""

from typing import Any

import pytest
from tests.rules import vectors

from kiery.cards import cards_in, mask_of, parse_card
from kiery.engine import Board, Match, board_from_hands
from kiery.rules import MatchLength, Moon, MoonChoice, OpeningLead, Rules, rules_from, winners
from kiery.view import Phase

Transcript = dict[str, Any]

MATCHES = vectors.matches()


def name_of(index: int, match: Transcript) -> str:
    length = f"{match['deal_limit']}-deals" if match["deal_limit"] else f"to-{match['target'] or 'target'}"
    return f"{index + 1}-{match['preset']}-{match['players']}-{length}"


def rules_of(match: Transcript) -> Rules:
    parameters = dict(match.get("rules") or {})
    if match["target"] is not None:
        parameters["target_score"] = match["target"]
    return rules_from(match["preset"], match["players"], parameters)


def mask(texts: list[str]) -> int:
    return mask_of(map(parse_card, texts))


def board_of(rules: Rules, deal: Transcript) -> Board:
    number = deal.get("pass_number", deal["number"])
    return board_from_hands(rules, number, [mask(hand) for hand in deal["hands"]], mask(deal["kitty"]))


def play_deal(match: Match, deal: Transcript) -> None:
    match.start_deal()
    assert match.deal.number == deal["number"]
    if match.rules.opening_lead is OpeningLead.DEALER_LEFT:
        assert match.deal.dealer == deal["dealer"]
    for seat, cards in deal["passes"].items():
        match.choose_pass(int(seat), mask(cards))
    assert match.deal.phase is Phase.PLAYING
    for index, (seat, text) in enumerate(deal["plays"]):
        card = parse_card(text)
        where = f"deal {deal['number']}, play {index + 1}: seat {seat}, {text}"
        assert match.deal.turn == seat, where
        assert card in cards_in(match.deal.legal), where
        match.play(card)
    if match.rules.moon is Moon.CHOICE and deal["moon"]:
        assert (match.deal.phase, match.deal.turn) == (Phase.MOON_CHOICE, deal["moon"]["seat"])
        match.choose_moon(MoonChoice(deal["moon"]["choice"]))


@pytest.mark.parametrize(
    "transcript", MATCHES, ids=[name_of(index, match) for index, match in enumerate(MATCHES)]
)
def test_match_is_legal_and_scored_as_the_vector_says(transcript: Transcript) -> None:
    rules = rules_of(transcript)
    boards = [board_of(rules, deal) for deal in transcript["deals"]]
    match = Match(rules, MatchLength(deal_limit=transcript["deal_limit"]), lambda number: boards[number - 1])

    for deal in transcript["deals"]:
        assert not match.over
        play_deal(match, deal)
        assert match.deal.phase is Phase.SCORED
        assert match.deal.shooter == (deal["moon"] and deal["moon"]["seat"])
        assert match.deal.choice == (deal["moon"] and MoonChoice(deal["moon"]["choice"]))
        assert list(match.deal.awarded or ()) == deal["points"], f"deal {deal['number']}"
        assert list(match.scores) == deal["totals"], f"deal {deal['number']}"

    assert match.over == transcript["finished"]
    if match.over:
        assert list(winners(match.scores)) == transcript["winners"]
