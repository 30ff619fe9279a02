"""`kiery tournament`: what a store knows of its tournaments."""

from pathlib import Path
from typing import Any

from kiery.cli.bots import now_ms
from kiery.cli.console import console, print_json, print_table, say
from kiery.cli.leaderboard import cross_table, leak_table, standings_as_json, standings_table
from kiery.cli.results.account import take_account
from kiery.cli.results.tables import tables
from kiery.cli.stores import open_store
from kiery.cli.wishes import entrant_of, read_secret, read_spec
from kiery.host import Plan, add_entrant, enter, read_plan, withdraw_entrant
from kiery.host.planning import planned_fixture, result_rows
from kiery.store import AttemptStatus, Store
from kiery.tournament import (
    Format,
    Leaving,
    TournamentSpec,
    check_schedule,
    json_schema,
    spec_from_json,
    spec_to_json,
)
from kiery.tournament.badge import badges
from kiery.tournament.par import PAR_METHOD

__all__ = [
    "create_tournament",
    "enter_late",
    "list_tournaments",
    "print_schema",
    "read_plan",
    "show_standings",
    "show_tournament",
    "withdraw",
]


def create_tournament(file: Path, seed_file: Path | None, store_url: str | None) -> None:
    """Adds a tournament to a store and prints what may be published."""
    spec = read_spec(file)
    with open_store(store_url) as store:
        plan = enter(store, spec, read_secret(seed_file), now_ms())
    say(f"tournament {spec.name}: {plan.length} matches; play it with `kiery serve`")
    say(f"commitment to the boards: {plan.derivation.commitment.hex()}")


def _progress(store: Store, spec: TournamentSpec) -> int:
    return sum(attempt.status is AttemptStatus.VALID for attempt in store.attempts(spec.name))


def list_tournaments(store_url: str | None, *, as_json: bool) -> None:
    """Prints the tournaments of a store."""
    rows: list[dict[str, Any]] = []
    with open_store(store_url, read_only=True) as store:
        for stored in store.tournaments():
            spec = spec_from_json(stored.spec)
            rows.append(
                {
                    "name": stored.name,
                    "status": stored.status.value,
                    "rules": f"{spec.rules.preset}/{spec.rules.players}",
                    "entrants": len(spec.entrants),
                    "matches": _progress(store, spec),
                    "commitment": stored.commitment.hex(),
                }
            )
    if as_json:
        print_json(rows)
        return
    columns = ("name", "status", "rules", "entrants", "matches")
    print_table("tournaments", columns, [[row[column] for column in columns] for row in rows])


def show_tournament(name: str, store_url: str | None, *, with_schedule: bool, as_json: bool) -> None:
    """Prints what is played, who plays, how far it is, and on request the check of the schedule."""
    with open_store(store_url, read_only=True) as store:
        stored = store.tournament(name)
        plan = read_plan(store, name)
        done = _progress(store, plan.spec)
        secret = store.reveal(name).hex() if stored.status.is_over else None
        amendments = store.amendments.of(name)
    spec, schedule = plan.spec, plan.schedule
    facts: dict[str, Any] = {
        "name": name,
        "status": stored.status.value,
        "rules": f"{spec.rules.preset} for {spec.rules.players}",
        "matches": f"{done} of {plan.length}",
        "deals a match": schedule.deal_count if schedule.deal_count is not None else "to the target",
        "boards": spec.sharing.value,
        "commitment": stored.commitment.hex(),
        "secret": secret or "shown when the tournament is over",
        "spec digest": stored.spec_digest.hex(),
    }
    if amendments:
        facts["amendments"] = len(amendments)
        facts["digest with them"] = amendments[-1].digest.hex()
    # A ladder has no opening: nothing is promised of its tables before they are planned.
    check = check_schedule(schedule).rows() if with_schedule and schedule.fixtures else []
    if as_json:
        entrants = [entrant.name for entrant in spec.entrants]
        print_json({**facts, "entrants": entrants, "schedule": dict(check), "spec": spec_to_json(spec)})
        return
    print_table("", ("", ""), list(facts.items()))
    rows = [
        (entrant.name, entrant.owner, "has left" if entrant.name in plan.withdrawn else entrant.kind.value)
        for entrant in spec.entrants
    ]
    print_table("entrants", ("entrant", "owner", "plays as"), rows)
    if with_schedule:
        print_table("schedule", ("checked", "value"), check)


def show_standings(
    name: str, store_url: str | None, *, with_cross: bool = False, with_luck: bool = False, as_json: bool
) -> None:
    """Prints the standings of a tournament, computed from its records, and what is wanted beside them."""
    with open_store(store_url, read_only=True) as store:
        plan = read_plan(store, name)
        account = take_account(store, plan, with_luck=with_luck)
        ladder = _ladder_badges(store, plan) if plan.spec.format is Format.LADDER else {}
    standings, leak = account.standings, account.leak_rows
    luck = {} if account.luck is None else {row.name: account.luck.of(row.entrant) for row in standings.rows}
    if as_json:
        beside = {"luck": luck, "luck_method": PAR_METHOD} if luck else {}
        audit = {"leak": tables(account)["leak"]} if leak else {}
        facts = {} if plan.planner is None else plan.planner.facts
        worn = {"badges": ladder} if ladder else {}
        print_json({"tournament": name, **standings_as_json(standings), **beside, **audit, **facts, **worn})
        return
    state = f"{account.scoreboard.fixtures} of {account.plan.length} matches"
    console().print(standings_table(standings, f"{name}: {state}", luck))
    if luck:
        say(
            "luck: points a deal by which the cards were better than the tables';"
            f" no part of the result; {PAR_METHOD}"
        )
    if with_cross:
        console().print(cross_table(standings))
    if leak:
        console().print(leak_table(account.bots, leak))
    if ladder:
        print_table(
            "badges: openskill by places, no part of the standings",
            ("bot", "badge", "mu", "sigma"),
            [
                [bot, *(f"{value[key]:.1f}" for key in ("ordinal", "mu", "sigma"))]
                for bot, value in ladder.items()
            ],
        )
    for line in account.plan.report:
        say(line)


def _ladder_badges(store: Store, plan: Plan) -> dict[str, dict[str, float]]:
    """Returns the badges of a ladder by name, the best first."""
    records = (stored.record for stored in store.records(plan.spec.name))
    rows = (row for record in records for row in result_rows(planned_fixture(plan, record), record))
    names = [entrant.name for entrant in plan.spec.entrants]
    worn = zip(names, badges(rows, len(names), plan.schedule.set_size), strict=True)
    return {
        name: {"ordinal": badge.ordinal, "mu": badge.mu, "sigma": badge.sigma}
        for name, badge in sorted(worn, key=lambda pair: (-pair[1].ordinal, pair[0]))
    }


def enter_late(name: str, bot: str, owner: str, version: str, store_url: str | None) -> None:
    """Enters a bot into a tournament that has begun; no server may be using the store."""
    entrant = entrant_of(bot, owner=owner, version=version)
    with open_store(store_url) as store:
        plan = add_entrant(store, name, entrant, now_ms())
    say(f"{entrant.name} is in; {_amended(plan)}")


def withdraw(name: str, bot: str, store_url: str | None) -> None:
    """Withdraws a bot from a tournament; no server may be using the store."""
    with open_store(store_url) as store:
        plan = withdraw_entrant(store, name, bot, now_ms())
    match plan.amendments[-1].leaving:
        case Leaving.CHARGED:
            fate = "it played half of its schedule: it stays ranked, and the rest counts as forfeited"
        case Leaving.REMOVED:
            fate = "it played less than half of its schedule: it is no longer ranked"
        case _:
            fate = "it is ranked by what it played"
    say(f"{bot} is out; {fate}; {_amended(plan)}")


def _amended(plan: Plan) -> str:
    amendment = plan.amendments[-1]
    return f"amendment {amendment.number} of {plan.spec.name}, {plan.length} matches now"


def print_schema() -> None:
    """Prints the JSON schema of a tournament file."""
    print_json(json_schema())
