"""A second judge of transcripts, slow and literal: on card text, with the reference rules of `tests/rules`.

Written from docs/rules.md and the form's description. It shares no code with what it is compared with
but the reading of rule parameters.
"""

from collections import Counter
from typing import NamedTuple

from tests.rules.reference import breaks, legal, piles, points_of, scores, winning_index

from kiery.rules import OpeningLead, PassDirection, TieRule, rules_from


class Place(NamedTuple):
    """Where a transcript is wrong first; trick and seat only where the fault has one."""

    deal: int | None
    trick: int | None = None
    seat: int | None = None


def first_fault(transcript) -> Place | None:
    """Returns where a transcript breaks the rules first, none if it does not."""
    parameters = dict(transcript.get("rules", {}))
    if transcript["target"] is not None:
        parameters["target_score"] = transcript["target"]
    rules = rules_from(transcript["preset"], transcript["players"], parameters)
    totals = [0] * rules.num_players
    over = False
    for number, deal in enumerate(transcript["deals"], start=1):
        if over or deal["number"] != number:
            return Place(number)
        fault = _deal_fault(rules, deal, number, totals)
        if fault is not None:
            return fault
        totals = deal["totals"]
        over = _is_over(rules, transcript["deal_limit"], totals, deal["points"], number)
    last = len(transcript["deals"]) or None
    winners = [seat for seat, total in enumerate(totals) if total == min(totals)]
    if transcript["finished"] is not over or sorted(transcript["winners"]) != (winners if over else []):
        return Place(last)
    return None


def _is_over(rules, deal_limit, totals, points, played) -> bool:
    if deal_limit is not None:
        return played >= deal_limit
    if rules.max_deals is not None and played >= rules.max_deals:
        return True
    best = min(totals)
    reached = any(total >= rules.target_score for total in totals)
    tied = rules.tie_rule is TieRule.PLAY_ON and totals.count(best) > 1
    perfect = rules.perfect_round and any(
        scored == 0 and total > best for total, scored in zip(totals, points, strict=True)
    )
    return reached and not tied and not perfect


def _pack(rules) -> Counter:
    pack = Counter(rank + suit for suit in "CDSH" for rank in "23456789TJQKA")
    whole = Counter({card: copies * rules.num_decks for card, copies in pack.items()})
    return whole - Counter(str(card) for card in rules.removed_cards)


def _deal_fault(rules, deal, number, before) -> Place | None:
    players = rules.num_players
    for seat, hand in enumerate(deal["hands"]):
        if len(hand) != rules.hand_size:
            return Place(number, None, seat)
    pack = _pack(rules)
    for seat, hand in enumerate([*deal["hands"], deal["kitty"]]):
        for card in hand:
            pack[card] -= 1
            if pack[card] < 0:
                return Place(number, None, seat if seat < players else None)
    if +pack:
        return Place(number)
    if rules.opening_lead is OpeningLead.DEALER_LEFT and deal["dealer"] != (number - 1) % players:
        return Place(number)
    hands = [list(hand) for hand in deal["hands"]]
    return _pass_fault(rules, deal, number, hands) or _play_fault(rules, deal, number, hands, before)


def _pass_fault(rules, deal, number, hands) -> Place | None:
    players = rules.num_players
    cycle = rules.pass_cycle
    direction = cycle[(deal.get("pass_number", number) - 1) % len(cycle)]
    offset = {
        PassDirection.LEFT: 1,
        PassDirection.RIGHT: -1,
        PassDirection.ACROSS: players // 2,
        PassDirection.HOLD: 0,
    }[direction]
    passes = {int(seat): cards for seat, cards in deal["passes"].items()}
    if not offset or not rules.pass_count:
        return next((Place(number, None, seat) for seat in sorted(passes) if passes[seat]), None)
    for seat in range(players):
        cards = passes.get(seat, [])
        if len(cards) != rules.pass_count or Counter(cards) - Counter(hands[seat]):
            return Place(number, None, seat)
    for seat, cards in passes.items():
        for card in cards:
            hands[seat].remove(card)
    for seat, cards in passes.items():
        hands[(seat + offset) % players] += cards
    return None


def _opener(rules, deal, hands) -> int:
    if rules.opening_lead is OpeningLead.DEALER_LEFT:
        return (deal["dealer"] + 1) % rules.num_players
    clubs = [
        ("23456789TJQKA".index(card[0]), seat)
        for seat, hand in enumerate(hands)
        for card in hand
        if card[1] == "C"
    ]
    return min(clubs)[1]


def _play_fault(rules, deal, number, hands, before) -> Place | None:
    players = rules.num_players
    turn = _opener(rules, deal, hands)
    broken = False
    tricks: list[tuple[int, list[str]]] = []
    trick: list[str] = []
    leader = turn
    for seat, card in deal["plays"]:
        if len(tricks) == rules.hand_size:
            return Place(number, len(tricks), seat)
        place = Place(number, len(tricks) + 1, seat)
        if seat != turn or card not in legal(
            rules, hands[turn], trick, trick_number=len(tricks) + 1, broken=broken
        ):
            return place
        hands[seat].remove(card)
        broken = broken or breaks(rules, card)
        trick.append(card)
        turn = (turn + 1) % players
        if len(trick) == players:
            tricks.append((leader, trick))
            index = winning_index(rules, trick)
            leader = turn = leader if index is None else (leader + index) % players
            trick = []
    if len(tricks) < rules.hand_size:
        return Place(number, len(tricks) + 1, turn)
    return _score_fault(rules, deal, number, tricks, before)


def _score_fault(rules, deal, number, tricks, before) -> Place | None:
    taken, counts, _ = piles(rules, tricks, list(deal["kitty"]))
    added, subtracted = (scores(rules, taken, counts, added=way) for way in (True, False))
    moon = deal["moon"]
    if added == subtracted:
        # Nobody took every penalty card, or it earns nothing.
        if moon is not None:
            return Place(number, None, moon["seat"])
    else:
        in_pile = [sum(points_of(rules, card) for card in pile) for pile in taken]
        shooter = in_pile.index(max(in_pile))
        if moon is None or moon["seat"] != shooter:
            return Place(number, None, None if moon is None else moon["seat"])
        if rules.moon.value == "others_plus" and moon["choice"] != "add":
            return Place(number, None, shooter)
    right = subtracted if moon is not None and moon["choice"] == "subtract" else added
    for said, expected in ((deal["points"], right), (deal["totals"], _totals(rules, before, right))):
        for seat, total in enumerate(expected):
            if said[seat] != total:
                return Place(number, None, seat)
    return None


def _totals(rules, before, points) -> list[int]:
    totals = [total + scored for total, scored in zip(before, points, strict=True)]
    return totals if rules.allow_negative else [max(0, total) for total in totals]
