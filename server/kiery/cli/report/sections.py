"""The sections of the report, each from an account. Every figure in them is in the exported tables too."""

from collections.abc import Sequence
from typing import Final

from kiery.cli.report.chart import (
    PALETTE,
    Line,
    bars,
    intervals,
    lines,
    spans,
    strip,
    strip_axis,
    strip_scale,
)
from kiery.cli.report.element import Child, Markup, element, join, name_of
from kiery.cli.results.account import Account, faults_by_kind
from kiery.cli.results.tables import THINK_QUANTILES, schedule_facts
from kiery.tournament import Standings, StandingsPair, StandingsRow
from kiery.tournament.par import PAR_METHOD
from kiery.tournament.spread import ClusteredMean

__all__ = [
    "breakdown_section",
    "cross_section",
    "faults_section",
    "history_section",
    "leak_section",
    "luck_section",
    "moons_section",
    "schedule_section",
    "standings_section",
    "think_section",
]

_FIRST_SHARE: Final = 0.05
"""Share of the deals from which on the estimates over time are drawn."""

_SHADES: Final = (2.0, 4.0)
"""Net differences, points a deal, from which on a significant cell is darker."""


def section(name: str, title: str, *children: Child) -> Markup:
    """Returns a section that links may lead to."""
    return element("section", element("h2", title), *children, id=name)


def table(head: Sequence[Child], rows: Sequence[Sequence[Child]], *, texts: int = 1) -> Markup:
    """Returns a table whose first columns are text and whose others are numbers."""
    kinds = ["text" if column < texts else None for column in range(len(head))]
    top = element("tr", *(element("th", cell, class_=kind) for cell, kind in zip(head, kinds, strict=True)))
    body = [
        element("tr", *(element("td", cell, class_=kind) for cell, kind in zip(row, kinds, strict=True)))
        for row in rows
    ]
    inner = element("table", element("thead", top), element("tbody", *body))
    return element("div", inner, class_="scroll")


def note(text: str) -> Markup:
    """Returns a remark."""
    return element("p", text, class_="note")


def signed(value: float | None, half_width: float | None = None) -> str:
    """Returns a net with its sign, and its interval."""
    if value is None:
        return "–"
    text = f"{value:+.2f}".replace("-", "−")
    return text if half_width is None else f"{text} ± {half_width:.2f}"


def _share(value: float) -> str:
    return f"{value:.0%}"


def by_place(account: Account) -> list[int]:
    """Returns the indices of all bots, the ranked ones by place, others behind them."""
    ranked = [row.entrant for row in account.standings.rows]
    return [*ranked, *(bot for bot in range(len(account.bots)) if bot not in ranked)]


def standings_section(account: Account) -> Markup:
    """The leaderboard, with a picture of each interval."""
    standings = account.standings
    seats = account.rules.num_players
    scale = strip_scale([(row.net, row.half_width) for row in standings.rows])
    names = ["net ± 95 %", "points", "deals", *(f"{place}." for place in range(1, seats + 1))]
    names += ["Q♠", "moons", *(["luck"] if account.luck is not None else [])]
    names += [*(["badge"] if account.badges else []), "forfeits"]
    head = [
        element("th", "place", colspan=2, class_="text"),
        element("th", "bot", class_="text"),
        element("th", strip_axis(scale, "net points a deal"), class_="strip"),
        *(element("th", name) for name in names),
    ]
    body = []
    for row in standings.rows:
        kind = "winner" if row.winner_group else "usual"
        title = f"{row.name}: {signed(row.net, row.half_width)}"
        cells = [
            element("td", row.place if row.net is not None else "–"),
            element("td", _range(row), class_="range"),
            element("td", _bot(account, row), class_="name"),
            element("td", strip(scale, (row.net, row.half_width), title, kind), class_="strip"),
            *(element("td", figure) for figure in _figures(account, row)),
        ]
        body.append(element("tr", *cells, class_=kind))
    inner = element("table", element("thead", element("tr", *head)), element("tbody", *body))
    return section(
        "standings",
        "Standings",
        element(
            "p",
            "Net is how many points a deal fewer than the table's mean a bot took, its opponents accounted"
            " for: more is better. The dot is the estimate, the line its 95 % interval. In brackets stand the"
            " places that the results do not contradict; whoever cannot be told from the leader is green.",
        ),
        element("div", inner, class_="scroll"),
        *(element("p", line) for line in account.plan.report),
    )


def _figures(account: Account, row: StandingsRow) -> list[str | int]:
    shares = row.place_shares or (0.0,) * account.rules.num_players
    return [
        signed(row.net, row.half_width),
        "–" if row.points is None else f"{row.points:.2f}",
        row.deals,
        *map(_share, shares),
        _share(row.queen_share),
        f"{row.moons_for}/{row.moons_against}",
        *([signed(account.luck.of(row.entrant))] if account.luck is not None else []),
        *([f"{account.badges[row.entrant].ordinal:.1f}"] if account.badges else []),
        f"{row.forfeits}{' unreliable' if row.unreliable else ''}",
    ]


def _range(row: StandingsRow) -> str:
    single = row.net is None or row.best_place == row.worst_place
    return "" if single else f"({row.best_place}–{row.worst_place})"


def _bot(account: Account, row: StandingsRow) -> Markup:
    entrant = account.plan.spec.entrants[row.entrant]
    words = [text for text in (account.versions[row.entrant], entrant.owner) if text]
    beside = element("span", " ", name_of(", ".join(words)), class_="soft") if words else None
    return join([name_of(row.name), beside])


def cross_section(account: Account) -> Markup:
    """Everybody against everybody."""
    standings = account.standings
    head = element(
        "tr",
        element("th", "net of row − net of column", class_="text"),
        *(element("th", name_of(row.name), class_="turned", title=row.name) for row in standings.rows),
    )
    body = [
        element(
            "tr",
            element("td", name_of(row.name), class_="name"),
            *(_cross_cell(standings, row, other) for other in standings.rows),
        )
        for row in standings.rows
    ]
    inner = element("table", element("thead", head), element("tbody", *body), class_="cross")
    return section(
        "cross",
        "Cross table",
        note(
            "Shaded cells differ at 5 % with all pairs tested together (Holm): green where the row is better,"
            " red where the column is. Below each difference stands half its own 95 % interval."
        ),
        element("div", inner, class_="scroll"),
    )


def _cross_cell(standings: Standings, row: StandingsRow, other: StandingsRow) -> Markup:
    if row is other:
        return element("td", "", class_="self")
    pair = standings.pair(row.entrant, other.entrant)
    if pair is None:
        return element("td", "–")
    width = "" if pair.half_width is None else f"± {pair.half_width:.2f}"
    return element("td", signed(pair.net), element("small", width), class_=_shade(pair))


def _shade(pair: StandingsPair) -> str | None:
    if not pair.significant:
        return None
    depth = 1 + sum(abs(pair.net) >= bound for bound in _SHADES)
    return f"{'b' if pair.net > 0 else 'w'}{depth}"


def history_section(account: Account) -> Markup:
    """The estimate of each bot after more and more fixtures."""
    rows = account.standings.rows
    # After a few deals estimates are all over the place, and would press everything else flat.
    settled = [
        moment for moment in account.moments if _FIRST_SHARE * account.scoreboard.deals <= moment.deals
    ]
    drawn = []
    for index, row in enumerate(rows):
        points = [
            (float(moment.deals), net) for moment in settled if (net := moment.nets[row.entrant]) is not None
        ]
        if points:
            colour = index if index < PALETTE else None
            drawn.append(Line(name=row.name, points=tuple(points), colour=colour))
    more = f" The first {PALETTE} have colours and names." if len(rows) > PALETTE else ""
    return section(
        "history",
        "Net over time",
        note(f"The estimate of the standings after so many deals, in the order of the schedule.{more}"),
        lines(drawn, "net points a deal over the deals of the tournament", caption="deals counted")
        if drawn
        else note("No deal has been counted yet."),
    )


def _interval(mean: ClusteredMean) -> tuple[float | None, float | None]:
    return mean.mean, mean.half_width


def breakdown_section(account: Account) -> Markup:
    """Points by seat and direction, which should be equal, and nets of each bot by both."""
    found = account.breakdown
    total = sum(mean.total for mean in found.seat_points)
    count = sum(mean.count for mean in found.seat_points)
    expected = total / count if count else None
    rows = [(f"seat {seat}", _interval(mean), "usual") for seat, mean in enumerate(found.seat_points)]
    if len(found.directions) > 1:
        rows += [
            (f"{direction}, seat {seat}", _interval(mean), "usual")
            for direction, means in found.direction_points.items()
            for seat, mean in enumerate(means)
        ]
    seats = range(len(found.seat_points))
    by_seat = [
        [name_of(account.bots[bot]), *(signed(*_interval(mean)) for mean in found.seat_nets[bot])]
        for bot in by_place(account)
    ]
    by_direction = [
        [
            name_of(account.bots[bot]),
            *(signed(*_interval(mean)) for mean in found.direction_nets[bot].values()),
        ]
        for bot in by_place(account)
    ]
    return section(
        "seats",
        "Seats and pass directions",
        element(
            "p",
            "Every bot holds every seat equally often, so the seats' points should be equal (dashed line) but"
            " for the luck of the deal: about 1 interval in 20 misses the line.",
        ),
        intervals(
            rows, "points a deal by seat", caption="points a deal ± 95 %", zero=False, expected=expected
        )
        if count
        else None,
        element("h3", "Net by seat"),
        table(["bot", *(f"seat {seat}" for seat in seats)], by_seat),
        element("h3", "Net by pass direction"),
        table(["bot", *found.directions], by_direction),
    )


def think_section(account: Account) -> Markup:
    """How long the bots took for their answers."""
    known = []
    for bot in by_place(account):
        values = [account.think[bot].quantile(share) for share in THINK_QUANTILES.values()]
        if None not in values:
            known.append((account.bots[bot], [float(value) for value in values if value is not None]))
    rows = [[name_of(name), *(f"{value:.0f}" for value in values)] for name, values in known]
    return section(
        "think",
        "Think time",
        note(
            "Of answers that the bot gave itself, as the server measured them, the network included. The bar"
            " reaches from the median to the 99th percentile, with marks at the median and the 90th; the dot"
            " is the longest."
        ),
        spans(
            known,
            "think time by bot",
            caption="milliseconds",
        )
        if known
        else None,
        table(["bot", *(f"{label} ms" for label in THINK_QUANTILES)], rows),
    )


def moons_section(account: Account) -> Markup:
    """Moons for and against."""
    rows = [
        (row.name, [(float(row.moons_for), "better"), (-float(row.moons_against), "worse")])
        for row in account.standings.rows
    ]
    return section(
        "moons",
        "Moons",
        note("Moons that a bot shot (right, green) and that others shot at its tables (left, red)."),
        bars(rows, "moons by bot", caption="moons", counts=True),
    )


def luck_section(account: Account) -> Markup:
    """Who was dealt the better cards."""
    if account.luck is None:
        why = (
            "Boards are still to be played again, so nothing but points is shown."
            if account.boards_hidden
            else "Not computed: export with --luck."
        )
        return section("luck", "Luck", note(why))
    rows = []
    for row in account.standings.rows:
        luck = account.luck.of(row.entrant) or 0.0
        rows.append((row.name, [(luck, "better" if luck >= 0 else "worse")]))
    return section(
        "luck",
        "Luck",
        note(
            "Points a deal by which a bot's cards were better than those of its tables, as bots of the house"
            f" play them: {PAR_METHOD}. It is no part of the result."
        ),
        bars(rows, "luck by bot", caption="points a deal; right: better cards"),
    )


def faults_section(account: Account) -> Markup:
    """What went wrong, by bot and kind."""
    found = faults_by_kind(account)
    kinds = list(dict.fromkeys(kind for own in found.values() for kind in own))
    rows: list[list[Child]] = [
        [name_of(name), *(found[name].get(kind, 0) for kind in kinds)]
        for name in (account.bots[bot] for bot in by_place(account))
    ]
    return section(
        "faults",
        "Faults and forfeits",
        note(
            "A fault is a decision that the substitute had to settle; a forfeited deal is one that it kept to"
            " the end, charged with at least half the points in the pack."
        ),
        table(["bot", *kinds], rows),
    )


def leak_section(account: Account) -> Markup:
    """First and later plays of the same boards."""
    found = account.leak_rows
    rows = [found[bot] for bot in by_place(account) if bot < len(found)]
    names = account.bots
    drawn = [
        (names[row.entrant], (row.gain, row.half_width), "alarm" if row.gained else "usual") for row in rows
    ]
    cells: list[list[Child]] = [
        [
            name_of(names[row.entrant]),
            row.boards,
            signed(row.first),
            signed(row.later),
            signed(row.gain, row.half_width),
        ]
        for row in rows
    ]
    return section(
        "leak",
        "Leak audit",
        note(
            "Boards were shared: did a bot do better when it met a board again? Without memory the gain is"
            " 0 on average; a bot that knows the cards gains about 3.6. By chance 1 interval in 40 lies above"
            " 0."
        ),
        intervals(drawn, "gain on later plays", caption="net gained on later plays, points a deal ± 95 %"),
        table(["bot", "boards", "first net", "later net", "gain ± 95 %"], cells),
    )


def schedule_section(account: Account) -> Markup:
    """What the schedule promises, counted from its fixtures."""
    rows: list[list[Child]] = [[name, value] for name, value in schedule_facts(account)]
    return section(
        "schedule",
        "Schedule",
        note("Counted before the first deal; a schedule that breaks a promise is not played."),
        table(["checked", "value"], rows) if rows else note("Planned from results as they came."),
    )
