"""From a store to a plan: what is played follows from spec, amendments, secret and the records so far.

Who enters late and who leaves is decided here, too. What is not here: playing (`contest`, `director`).
"""

import secrets
from collections.abc import Iterable, Sequence
from typing import Final

from kiery.engine import Derivation
from kiery.errors import InputError
from kiery.host.plan import Plan
from kiery.host.recovery import journal_of
from kiery.host.scoreboard import deal_row
from kiery.journal import read_journal
from kiery.record import MatchRecord, deal_results
from kiery.store import AttemptStatus, Store
from kiery.tournament import (
    Amendment,
    DealRow,
    Entrant,
    Fixture,
    TournamentSpec,
    amended_opening,
    amendment_digest,
    amendment_from_json,
    differing_fields,
    digest,
    entry,
    planner_of,
    spec_from_json,
    spec_to_json,
    withdrawal,
)

__all__ = [
    "PlanDiffersError",
    "SpecDiffersError",
    "add_entrant",
    "begun_fixtures",
    "enter",
    "planned_fixture",
    "read_plan",
    "recall",
    "result_rows",
    "withdraw_entrant",
]

_SHOWN_FIELDS: Final = 6


class SpecDiffersError(InputError):
    """Another spec stands in the store under the same name."""

    reason = "SPEC_DIFFERS"


class PlanDiffersError(InputError):
    """A record does not fit the plan that spec and results make."""

    reason = "PLAN_DIFFERS"


def enter(store: Store, spec: TournamentSpec, secret: bytes | None, now_ms: int) -> Plan:
    """Returns the plan of a tournament, stored now if it is new.

    Args:
        store: Where tournaments are kept.
        spec: What is wanted.
        secret: The secret of the boards, 32 bytes; none: the stored one, or a new one from the system.
        now_ms: Milliseconds since 1970 UTC.

    Raises:
        SpecDiffersError: The store has another spec or another secret under this name; names the fields.
        SpecError: The schedule cannot be built.
    """
    found = store.find_tournament(spec.name)
    if found is not None:
        _refuse_other(spec, spec_from_json(found.spec, f"tournament {spec.name} in {store.path}"))
        kept = store.secret(spec.name)
        if secret is not None and secret != kept:
            raise SpecDiffersError(
                f"tournament {spec.name} was begun with another seed:"
                " expected the same one, or another --name"
            )
        secret = kept
    secret = secret or secrets.token_bytes(32)
    plan = _plan(spec, secret, () if found is None else _amendments(store, spec.name))
    if found is None:
        store.add_tournament(
            spec.name,
            spec=spec_to_json(spec),
            spec_digest=digest(spec),
            secret=secret,
            entropy=spec.entropy.encode(),
            commitment=plan.derivation.commitment,
            created_ms=now_ms,
        )
    return plan


def read_plan(store: Store, name: str) -> Plan:
    """Returns the plan of a stored tournament as far as its records go, for commands that read.

    Raises:
        UnknownTournamentError: None has the name.
        PlanDiffersError: A record does not follow from those before it.
    """
    spec = spec_from_json(store.tournament(name).spec, f"tournament {name} in {store.path}")
    plan = _plan(spec, store.secret(name), _amendments(store, name))
    recall(plan, (stored.record for stored in store.records(name)))
    return plan


def _amendments(store: Store, name: str) -> tuple[Amendment, ...]:
    return tuple(
        amendment_from_json(each.amendment, f"amendment {each.number} of {name}")
        for each in store.amendments.of(name)
    )


def _plan(spec: TournamentSpec, secret: bytes, amendments: Sequence[Amendment]) -> Plan:
    derivation = Derivation(secret, spec.entropy.encode())
    spec, schedule = amended_opening(spec, derivation, amendments)
    return Plan(
        spec=spec,
        schedule=schedule,
        derivation=derivation,
        planner=planner_of(spec, derivation, schedule, amendments),
        amendments=tuple(amendments),
    )


def _refuse_other(spec: TournamentSpec, stored: TournamentSpec) -> None:
    fields = differing_fields(stored, spec)
    if fields:
        shown = ", ".join(f"{path} was {was!r}, now {now!r}" for path, was, now in fields[:_SHOWN_FIELDS])
        more = f" and {len(fields) - _SHOWN_FIELDS} more" if len(fields) > _SHOWN_FIELDS else ""
        raise SpecDiffersError(
            f"tournament {spec.name} is another one in this store: {shown}{more};"
            " expected the same spec, or another --name"
        )


def planned_fixture(plan: Plan, record: MatchRecord) -> Fixture:
    """Returns the fixture that a record is of.

    Raises:
        PlanDiffersError: The plan has no such fixture, or others in its seats: its results have changed, or
            it was made by another version of kiery.
    """
    index = record.header.fixture
    if index is not None and index < len(plan.fixtures):
        fixture = plan.fixtures[index]
        seated = plan.spec.seated_entrants
        if [seated[bot].name for bot in fixture.seats] == [each.name for each in record.header.entrants]:
            return fixture
    raise PlanDiffersError(
        f"the record of fixture {index} of {plan.spec.name} does not follow from the results before it:"
        " expected what the spec and the records plan"
    )


def result_rows(fixture: Fixture, record: MatchRecord) -> list[DealRow]:
    """Returns the deals of a valid record as a planner wants them."""
    labels = {deal.number: deal.label for deal in record.deals}
    return [deal_row(fixture, record, result, labels[result.number]) for result in deal_results(record)]


def recall(plan: Plan, records: Iterable[MatchRecord]) -> None:
    """Plans on from the valid records that a store has, for commands that read.

    Raises:
        PlanDiffersError: A record does not follow from those before it.
    """
    if plan.planner is None:
        return
    plan.planner.plan_on()
    for record in records:
        fixture = planned_fixture(plan, record)
        plan.planner.add(fixture.index, result_rows(fixture, record))
        plan.planner.plan_on()


def begun_fixtures(store: Store, name: str) -> set[int]:
    """Returns the fixtures of a tournament that have an attempt, or were being played by a killed server."""
    begun = {attempt.key.fixture for attempt in store.attempts(name)}
    for table in read_journal(journal_of(store)).tables.values():
        if table.opening.tournament == name:
            begun.add(table.opening.fixture)
    return begun


def add_entrant(store: Store, name: str, entrant: Entrant, now_ms: int) -> Plan:
    """Enters somebody late, in a store that no server is using.

    Raises:
        SpecError: The format or the field does not allow it, or the name is taken.
        StoreError: The tournament is unknown or over.
    """
    plan = read_plan(store, name)
    begun = begun_fixtures(store, name)
    return _amend(store, plan, entry(plan.spec, plan.amendments, plan.fixtures, entrant, begun), now_ms)


def withdraw_entrant(store: Store, name: str, entrant: str, now_ms: int) -> Plan:
    """Withdraws somebody, in a store that no server is using.

    Raises:
        SpecError: The format does not allow it, nobody is called so, or too few would be left.
        StoreError: The tournament is unknown or over.
    """
    plan = read_plan(store, name)
    attempts = store.attempts(name)
    finished = {each.key.fixture for each in attempts if each.status is AttemptStatus.VALID}
    begun = begun_fixtures(store, name)
    amendment = withdrawal(plan.spec, plan.amendments, plan.fixtures, entrant, begun, finished)
    return _amend(store, plan, amendment, now_ms)


def _amend(store: Store, plan: Plan, amendment: Amendment, now_ms: int) -> Plan:
    """Stores an amendment once it is known that everything can be planned with it."""
    name = plan.spec.name
    stored = store.amendments.of(name)
    previous = stored[-1].digest if stored else store.tournament(name).spec_digest
    spec = spec_from_json(store.tournament(name).spec)
    amended = _plan(spec, store.secret(name), (*plan.amendments, amendment))
    recall(amended, (each.record for each in store.records(name)))
    store.amendments.add(
        name,
        number=amendment.number,
        amendment=amendment.model_dump_json(exclude_none=True),
        digest=amendment_digest(previous, amendment),
        created_ms=now_ms,
    )
    return amended
