"""What is published of a tournament: before its first deal the announcement, after its last one everything.

Lines in their order: `announcement`; when it is over `reveal`; a `fixture` for each match that was planned
at first; an `amendment` for each late entry or withdrawal; a `fixture` for each later match; an `attempt`
for each try; a `standing` for each entrant; a `pair` for each two that met. Before the end there are the
announcement and, where boards are not shared, the first fixtures with the amendments so far: with shared
boards fixtures would tell a bot which matches have the same cards.
"""

import hashlib
import hmac
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from kiery.audit.course import Course
from kiery.audit.form import FORM, line_of
from kiery.audit.records import record_to_plain
from kiery.record import MatchRecord
from kiery.tournament import (
    Amendment,
    EntrantKind,
    Fixture,
    Sharing,
    SpecError,
    Standings,
    TournamentSpec,
    amendment_digest,
    amendment_from_json,
    canonical_spec,
    digest,
    label,
    spec_from_values,
)

__all__ = [
    "DECIMALS",
    "PublishedAttempt",
    "amendment_from_plain",
    "amendment_to_plain",
    "announce",
    "announcement",
    "attempt_to_plain",
    "fixture_to_plain",
    "pairs_to_plain",
    "publish",
    "reveal",
    "spec_from_canonical",
    "standings_to_plain",
]

Plain = Any

DECIMALS: Final = 6
"""Of every figure that is no whole number."""

_WITHHELD: Final = "withheld"
"""Stands for the command line of a launched bot, which is never published."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedAttempt:
    """One try at a fixture."""

    fixture: int
    """The fixture's index."""
    attempt: int
    """Which try, from 1."""
    status: str
    """`valid`, `void` or `cancelled`."""
    record: MatchRecord | None
    """Its record; none: it was lost before anything could be recorded."""


def amendment_to_plain(amendment: Amendment, chained: bytes) -> Plain:
    """Returns a late entry or a withdrawal without its command line, and its digest onto those before."""
    plain = amendment.model_dump(mode="json", exclude={"entrant": {"command"}})
    if amendment.entrant is not None:
        plain["entrant"]["kind"] = amendment.entrant.kind.value
    return {"kind": "amendment", "amendment": plain, "digest": chained.hex()}


def amendment_from_plain(plain: Plain) -> Amendment:
    """Returns the amendment that is published so.

    Raises:
        SpecError: It is none.
    """
    values = dict(plain) if isinstance(plain, dict) else {}
    if values.get("entrant") is not None:
        values["entrant"] = _entrant(values["entrant"])
    return amendment_from_json(json.dumps(values), "the published amendment")


def _entrant(plain: Plain) -> Plain:
    """Returns the fields of an entrant as a spec has them."""
    fields = dict(plain) if isinstance(plain, dict) else {}
    if fields.pop("kind", None) == EntrantKind.LAUNCHED.value:
        fields["command"] = _WITHHELD
    return fields


def spec_from_canonical(plain: Plain) -> TournamentSpec:
    """Returns the spec that is published as `canonical_spec` writes it.

    Raises:
        SpecError: It is no spec.
    """
    if not isinstance(plain, dict) or not isinstance(plain.get("entrants"), list):
        raise SpecError("the published spec is no spec: expected an object with entrants")
    entrants = [_entrant(entrant) for entrant in plain["entrants"]]
    return spec_from_values({**plain, "entrants": entrants}, "the published spec")


def fixture_to_plain(spec: TournamentSpec, fixture: Fixture) -> Plain:
    """Returns a planned match: seats by name, and the stream of its boards' labels."""
    seated = spec.seated_entrants
    return {
        "kind": "fixture",
        "fixture": fixture.index,
        "set": fixture.set_index,
        "arrangement": fixture.arrangement,
        "seats": [seated[index].name for index in fixture.seats],
        "stream": fixture.stream,
        "deals": fixture.deal_count,
    }


def _schedule_digest(course: Course) -> bytes:
    # With a key that the secret gives: with shared boards, a plain hash would let a bot try out which
    # matches have the same cards.
    key = course.derivation.key(label(course.announced.name, "schedule", 1, 3))
    text = hashlib.sha256()
    for fixture in course.opening.fixtures:
        text.update(line_of(fixture_to_plain(course.announced, fixture)))
    return hmac.digest(key, b"kiery-schedule-1\0" + text.digest(), "sha256")


def announcement(course: Course) -> Plain:
    """Returns the first line: what the organiser is bound to from now on."""
    return {
        "kind": "announcement",
        "form": FORM,
        "spec": canonical_spec(course.announced),
        "spec_digest": digest(course.announced).hex(),
        "commitment": course.derivation.commitment.hex(),
        "schedule_digest": _schedule_digest(course).hex(),
    }


def announce(course: Course) -> Iterator[bytes]:
    """Yields the lines that may be published before the first deal; none tells anything of the secret."""
    yield line_of(announcement(course))
    if course.opening.sharing is Sharing.INDEPENDENT:
        yield from _opening(course)


def _opening(course: Course) -> Iterator[bytes]:
    """Yields the fixtures as they were announced, then the amendments."""
    for fixture in course.opening.fixtures:
        yield line_of(fixture_to_plain(course.announced, fixture))
    before = digest(course.announced)
    for amendment in course.amendments:
        before = amendment_digest(before, amendment)
        yield line_of(amendment_to_plain(amendment, before))


def reveal(secret: bytes, *, cancelled: bool) -> Plain:
    """Returns the second line of a tournament that is over."""
    return {
        "kind": "reveal",
        "secret": secret.hex(),
        "status": "cancelled" if cancelled else "finished",
    }


def attempt_to_plain(attempt: PublishedAttempt) -> Plain:
    """Returns a try at a fixture with its record."""
    record = attempt.record
    return {
        "kind": "attempt",
        "fixture": attempt.fixture,
        "attempt": attempt.attempt,
        "status": attempt.status,
        "digest": None if record is None else record.digest.hex(),
        "record": None if record is None else record_to_plain(record),
    }


def _figure(value: float | None) -> float | None:
    # The sum makes a negative zero a positive one.
    return None if value is None else round(float(value), DECIMALS) + 0.0


def standings_to_plain(standings: Standings) -> Iterator[Plain]:
    """Yields the leaderboard, one object an entrant, in its order."""
    for row in standings.rows:
        yield {
            "kind": "standing",
            "entrant": row.name,
            "place": row.place,
            "best_place": row.best_place,
            "worst_place": row.worst_place,
            "net": _figure(row.net),
            "half_width": _figure(row.half_width),
            "points": _figure(row.points),
            "deals": row.deals,
            "place_shares": [_figure(share) for share in row.place_shares],
            "queen_share": _figure(row.queen_share),
            "moons_for": row.moons_for,
            "moons_against": row.moons_against,
            "forfeits": row.forfeits,
            "median_think_ms": _figure(row.median_think_ms),
            "max_think_ms": row.max_think_ms,
            "winner_group": row.winner_group,
            "unreliable": row.unreliable,
        }


def pairs_to_plain(standings: Standings) -> Iterator[Plain]:
    """Yields the cross table, one object for each two that met, the better placed first."""
    names = {row.entrant: row.name for row in standings.rows}
    seen: set[int] = set()
    order: Sequence[int] = list(names)
    for entrant in order:
        seen.add(entrant)
        for opponent in order:
            pair = None if opponent in seen else standings.pair(entrant, opponent)
            if pair is not None:
                yield {
                    "kind": "pair",
                    "entrant": names[entrant],
                    "opponent": names[opponent],
                    "net": _figure(pair.net),
                    "half_width": _figure(pair.half_width),
                    "significant": pair.significant,
                }


def publish(
    course: Course, attempts: Iterable[PublishedAttempt], *, cancelled: bool = False
) -> Iterator[bytes]:
    """Yields every line of a tournament that is over.

    Args:
        course: With every valid record. Its secret is published.
        attempts: Every try, by fixture and attempt.
        cancelled: Whether it was given up.
    """
    yield line_of(announcement(course))
    yield line_of(reveal(course.secret, cancelled=cancelled))
    yield from _opening(course)
    for fixture in course.fixtures[len(course.opening.fixtures) :]:
        yield line_of(fixture_to_plain(course.spec, fixture))
    for attempt in attempts:
        yield line_of(attempt_to_plain(attempt))
    standings = course.standings()
    for plain in standings_to_plain(standings):
        yield line_of(plain)
    for plain in pairs_to_plain(standings):
        yield line_of(plain)
