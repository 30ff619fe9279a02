"""The referee: computes every exported figure again, from the cards and from what the server alone can know.

It shares no code with the product. `results.json` says who sat where, whose deals were forfeited, faults,
think times, and the parameters of the rules; the transcripts hold the cards. All else is computed here by
docs/fairness.md and docs/rules.md, but for par, badges, and variants with cancellation.
Use: python referee.py results.json transcripts.jsonl
"""

import hashlib
import json
import sys
from collections import Counter, defaultdict
from functools import cache, partial
from math import ceil, isclose, sqrt
from pathlib import Path
from statistics import fmean, median
from types import SimpleNamespace

import numpy as np
from scipy.stats import t as student

RANKS = "23456789TJQKA"
OBSERVED = ("think_ms", "faults", "rejections")
t975 = cache(partial(student.ppf, 0.975))


def score(deal, rules, seats):
    """Returns points, tricks, queens and shooter of a deal, from the cards played."""
    worth, kitty = rules["card_points"], deal["kitty"]
    taken, bonuses, tricks, queens = ([0] * seats for _ in range(4))
    for start in range(0, len(deal["plays"]), seats):
        trick = deal["plays"][start : start + seats]
        winner = max((RANKS.index(card[0]), seat) for seat, card in trick if card[1] == trick[0][1][1])[1]
        cards = [card for _, card in trick]
        if rules["leftover"] != "kitty_first_point_trick" or any(card in worth for card in cards):
            cards, kitty = cards + kitty, []
        taken[winner] += sum(worth.get(card, 0) for card in cards)
        bonuses[winner] += cards.count(rules["bonus_card"])
        queens[winner] += cards.count("QS")
        tricks[winner] += 1
    shooter = taken.index(pack_of(deal, rules)) if pack_of(deal, rules) in taken else None
    lacks = shooter is not None and rules["bonus_required_for_moon"] and not bonuses[shooter]
    shooter = None if lacks or rules["moon"] == "off" else shooter
    points = [own if won else own + rules["no_trick_bonus"] for own, won in zip(taken, tricks, strict=True)]
    if shooter is not None:
        added = deal["moon"]["choice"] == "add"
        points = [rules["moon_points"] if added else 0] * seats
        points[shooter] = 0 if added else -rules["moon_points"]
    points = [own + rules["bonus_points"] * copies for own, copies in zip(points, bonuses, strict=True)]
    return points, tricks, queens, shooter


def pack_of(deal, rules):
    """Returns the penalty points in the pack."""
    return sum(rules["card_points"].get(card, 0) for hand in [*deal["hands"], deal["kitty"]] for card in hand)


def average(values):
    return fmean(listed) if (listed := [*values]) else None


def grouped(rows, column):
    groups = defaultdict(list)
    for row in rows:
        groups[getattr(row, column)].append(row)
    return groups


def mean_of(rows, column, name):
    """Returns the mean of a column with its interval, clustered by board."""
    mean, width = average(getattr(row, column) for row in rows), None
    gaps = [sum(getattr(row, column) - mean for row in own) for own in grouped(rows, "label").values()]
    if (c := len(gaps)) > 1:
        width = t975(c - 1) * sqrt(c / (c - 1) * sum(gap * gap for gap in gaps)) / len(rows)
    return {name: mean, "half_width_95": width, "deals": len(rows)}


def fit(rows, ranked):
    """Returns estimate, covariance and units by bot, fields, and freedom; the substitute is called None."""
    names = list(dict.fromkeys(row.holder for row in rows))
    at, units, fields = {bot: index for index, bot in enumerate(names)}, [], []
    for own in grouped(rows, "label").values():
        nets, share = np.zeros(len(names)), np.zeros((len(names), len(names)))
        for deal in grouped(own, "deal").values():
            play = {bot: average(row.points for row in held) for bot, held in grouped(deal, "holder").items()}
            here = [at[bot] for bot in play]
            nets[here] += average(play.values()) - np.array(list(play.values()))
            share[np.ix_(here, here)] += np.eye(len(here)) - 1 / len(here)
            joined = set(play).union(*(field for field in fields if field & play.keys()))
            fields = [field for field in fields if not field & joined] + [joined]
        units.append((nets, share, {row.holder for row in own}))
    # With ones added within each field M can be inverted; what that adds is taken out by centring.
    matrix, centre = sum(share for _, share, _ in units), np.eye(len(names))
    for field in fields:
        inner, anchors = [at[bot] for bot in field], [at[bot] for bot in field if bot in ranked]
        matrix[np.ix_(inner, inner)] += 1
        centre[np.ix_(inner, anchors)] -= 1 / max(len(anchors), 1)
    solve = centre @ np.linalg.inv(matrix)
    theta = solve @ sum(nets for nets, _, _ in units)
    shifts = np.array([solve @ (nets - share @ theta) for nets, share, _ in units])
    covariance = len(units) / max(len(units) - 1, 1) * shifts.T @ shifts
    spread = {(a, b): covariance[at[a], at[b]] for a in names for b in names}
    seen = Counter(bot for *_, bots in units for bot in bots)
    return dict(zip(names, theta, strict=True)), spread, seen, fields, len(units) - len(names)


def columns_of(own, seats):
    """Returns what the leaderboard shows of one bot besides the fit."""
    honest, places = [row for row in own if not row.lost], Counter(row.place for row in own)
    think = [ms for row in own for ms in row.think]
    return {f"place_{place}_share": places[place] / len(own) for place in range(1, seats + 1)} | {
        "points_per_deal": average(row.charge for row in own),
        "deals": len(own),
        "queen_share": average(row.queens > 0 for row in honest) or 0.0,
        "moons_for": sum(row.shot for row in honest),
        "moons_against": sum(row.against for row in own),
        "forfeits": len(own) - len(honest),
        "unreliable": len(own) - len(honest) >= 0.05 * len(own),
        "median_think_ms": median(think) if think else None,
        "max_think_ms": max(think, default=None),
    }


def holm(tails, tests):
    """Returns the pairs, both ways, that differ at 5 % of so many that were to be tested."""
    tails = sorted(tails)
    fails = (index for index, (tail, *_) in enumerate(tails) if tail > 0.05 / (tests - index))
    return {pair for _, a, b in tails[: next(fails, None)] for pair in ((a, b), (b, a))}


def standings(rows, ranked, seats):
    """Returns the standings, best first, and the cross table."""
    by_bot, by_deal = grouped(rows, "bot"), grouped((row for row in rows if not row.lost), "deal")
    ranked = [bot for bot in ranked if bot in by_bot]
    columns = {bot: columns_of(by_bot[bot], seats) for bot in ranked}
    theta, covariance, units, fields, freedom = fit(rows, ranked)
    field = {bot: index for index, members in enumerate(fields) for bot in members}
    mutual, share, net, own_freedom = defaultdict(list), {}, {}, {}
    for row, other in ((row, other) for deal in by_deal.values() for row in deal for other in deal):
        if row.bot != other.bot:
            mutual[row.bot, other.bot].append(row.net)
    for bot in ranked:
        # Charged beyond the table's mean.
        lost = [row.charge - row.points - row.net for row in by_bot[bot] if row.lost]
        share[bot] = 1 - len(lost) / len(by_bot[bot])
        net[bot] = share[bot] * theta.get(bot, 0.0) - sum(lost) / len(by_bot[bot])
        own_freedom[bot] = min(units[bot] - 1, freedom) if units[bot] < 12 else freedom
    widths, tails = {}, []
    for a, b in ((a, b) for a in ranked for b in ranked if a != b and field.get(a, -1) == field.get(b, -2)):
        v = [share[x] * share[y] * covariance[x, y] for x, y in ((a, a), (b, b), (a, b))]
        error, df = sqrt(max(v[0] + v[1] - 2 * v[2], 0.0)), min(own_freedom[a], own_freedom[b])
        widths[a, b] = t975(df) * error if df > 0 else None
        if df > 0 and ranked.index(a) < ranked.index(b):
            tails.append((2 * student.sf(abs(net[a] - net[b]) / error, df) if error else 1.0, a, b))
    differ = holm(tails, len(ranked) * (len(ranked) - 1) // 2)
    better = {bot: {a for a, b in differ if b == bot and net[a] > net[bot]} for bot in ranked}
    keys, table, cross = {}, [], []
    for bot in ranked:
        tied = [other for other in ranked if round(net[other], 4) == round(net[bot], 4)]
        met = all(any(mutual[a, b] for b in tied) for a in tied)
        mean = average(value for other in tied for value in mutual[bot, other]) if met else 0.0
        last = columns[bot]["forfeits"], -columns[bot]["place_1_share"]
        keys[bot] = (-round(net[bot], 4), -round(mean, 4), *last)
    leaders = {bot for bot in ranked if keys[bot] == min(keys.values())}
    for bot in sorted(ranked, key=lambda bot: (keys[bot], bot)):
        row = columns[bot] | {"bot": bot, "net_per_deal": net[bot], "half_width_95": None}
        if own_freedom[bot] > 0 and len({field.get(other) for other in ranked}) == 1:
            row["half_width_95"] = t975(own_freedom[bot]) * share[bot] * sqrt(covariance[bot, bot])
        row["place"] = 1 + sum(key < keys[bot] for key in keys.values())
        row["best_place"] = 1 + len(better[bot])
        row["worst_place"] = len(ranked) - sum(bot in others for others in better.values())
        table.append(row | {"winner_group": not better[bot] & leaders})
    for a, b in ((one["bot"], other["bot"]) for one in table for other in table):
        if (a, b) in widths and mutual[a, b]:
            row = {"bot": a, "opponent": b, "net_difference": net[a] - net[b], "half_width_95": widths[a, b]}
            cross.append(row | {"significant": (a, b) in differ})
    return table, cross


def read(results, transcripts):
    """Returns the matches scored anew, and a row for each seat of each deal."""
    rules, seats, matches, rows = results["spec"]["rules"]["parameters"], results["players"], [], []
    for match, transcript in zip(results["matches"], transcripts, strict=True):
        totals, deals = [0] * seats, []
        for told, deal in zip(match["deals"], transcript["deals"], strict=True):
            points, tricks, queens, shooter = score(deal, rules, seats)
            totals = [a + b for a, b in zip(totals, points, strict=True)]
            if not rules["allow_negative"]:
                totals = [max(0, total) for total in totals]
            cycle, board = rules["pass_cycle"], deal.get("pass_number", deal["number"])
            found = {"direction": cycle[(board - 1) % len(cycle)], "deal": deal["number"]}
            found |= {"points": points, "tricks": tricks, "queens": queens, "shooter": shooter}
            deals.append(told | found | {"totals": totals, "dealer": deal["dealer"]})
            for seat, bot in enumerate(match["bots"]):
                lost = told["forfeited"][seat]
                charge = max(points[seat], pack_of(deal, rules) / 2) if lost else points[seat]
                row = SimpleNamespace(
                    match=len(matches), deal=(len(matches), deal["number"]), seat=seat, bot=bot
                )
                row.label, row.direction, row.first = (
                    told["label"],
                    found["direction"],
                    not match["arrangement"],
                )
                row.holder, row.lost, row.charge = None if lost else bot, lost, charge
                row.place = 1 + sum(other < charge for at, other in enumerate(points) if at != seat)
                row.points, row.net, row.queens = (
                    points[seat],
                    sum(points) / seats - points[seat],
                    queens[seat],
                )
                row.shot, row.against = shooter == seat, shooter is not None and match["bots"][shooter] != bot
                row.think, row.faults, row.rejections = (told[name][seat] for name in OBSERVED)
                row.end = "completed" if deals[1:] else match["seat_ends"][seat]
                rows.append(row)
        found = {"placements": [1 + sum(other < own for other in totals) for own in totals], "deals": deals}
        matches.append(match | found | {"scores": totals})
    return matches, rows


def recompute(results, transcripts):
    """Returns all tables again, by name."""
    matches, rows = read(results, transcripts)
    ranked, seats, by_bot = results["entrants"], range(results["players"]), grouped(rows, "bot")
    bots = ranked + results["house"]
    directions = dict.fromkeys(results["spec"]["rules"]["parameters"]["pass_cycle"])
    tables = {"matches": matches, "think": [], "faults": [], "history": []}
    tables["standings"], tables["cross"] = standings(rows, ranked, len(seats))
    for count in dict.fromkeys(row["fixtures"] for row in results["history"]):
        part = [row for row in rows if row.match < count]
        net = {row["bot"]: row["net_per_deal"] for row in standings(part, ranked, len(seats))[0]}
        moment = {"fixtures": count, "deals": len(grouped(part, "deal"))}
        tables["history"] += [moment | {"bot": bot, "net_per_deal": net.get(bot)} for bot in ranked]

    def means(column, **key):
        own = [row for row in rows if all(getattr(row, at) == value for at, value in key.items())]
        return {at.replace("holder", "bot"): key[at] for at in key} | mean_of(
            own, column, f"{column}_per_deal"
        )

    tables["seats"] = [means("points", seat=seat) for seat in seats]
    tables["directions"] = [means("points", direction=way, seat=seat) for way in directions for seat in seats]
    tables["seat_nets"] = [means("net", holder=bot, seat=seat) for bot in bots for seat in seats]
    tables["direction_nets"] = [means("net", holder=bot, direction=way) for bot in bots for way in directions]
    for bot in bots:
        think = sorted(ms for row in by_bot[bot] for ms in row.think)
        cuts = {"median_ms": 0.5, "p90_ms": 0.9, "p99_ms": 0.99, "max_ms": 1.0}
        shown = {name: think[ceil(share * len(think)) - 1] if think else None for name, share in cuts.items()}
        tables["think"].append({"bot": bot, "answers": len(think)} | shown)
        kinds = Counter({"faults": 0, "rejected answers": sum(row.rejections for row in by_bot[bot])})
        kinds["faults"] = sum(row.faults for row in by_bot[bot])
        kinds["forfeited deals"] = sum(row.lost for row in by_bot[bot])
        kinds.update(row.end.replace("_", " ") for row in by_bot[bot] if row.end != "completed")
        tables["faults"] += [{"bot": bot, "kind": kind, "count": count} for kind, count in kinds.items()]
    if results["sharing"] == "laps":
        tables["leak"] = [leak(bot, [row for row in by_bot[bot] if not row.lost]) for bot in ranked]
    digests = b"".join(bytes.fromhex(match["digest"]) for match in matches)
    return tables | {"records_digest": hashlib.sha256(digests).hexdigest()}


def leak(bot, rows):
    """Returns a row of the leak audit."""
    both = []
    for label, own in grouped(rows, "label").items():
        arms = [[row.net for row in own if row.first is arm] for arm in (True, False)]
        if all(arms):
            first, later = map(average, arms)
            both.append(SimpleNamespace(label=label, first=first, later=later, gain=later - first))
    row = {"bot": bot, "boards": len(both)} | mean_of(both, "gain", "gain")
    row["gained"] = row["half_width_95"] is not None and row["gain"] > row["half_width_95"]
    row |= {f"{arm}_net": average(getattr(pair, arm) for pair in both) for arm in ("first", "later")}
    return {column: value for column, value in row.items() if column != "deals"}


def leaves(value, place=""):
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(inner, f"{place}/{key}")
    else:
        yield place, value


def differences(told, found):
    """Yields where what was exported is not what was computed."""
    exported = dict(leaves(told))
    for place, value in leaves(found):
        one = exported.get(place, "nothing")
        numbers = isinstance(value, float) and isinstance(one, int | float)
        if not (isclose(one, value, rel_tol=1e-7, abs_tol=1e-9) if numbers else one == value):
            yield f"{place}: {one!r} instead of {value!r}"
    yield from (f"/{name}: rows too many" for name, rows in found.items() if len(told[name]) > len(rows))


if __name__ == "__main__":
    results, cards = (Path(name).read_text(encoding="utf-8") for name in sys.argv[1:])
    exported = json.loads(results)
    wrong = list(differences(exported, recompute(exported, [*map(json.loads, cards.splitlines())])))
    sys.stdout.write("\n".join([*wrong, f"{len(wrong)} figures disagree"]) + "\n")
    sys.exit(bool(wrong))
