"""Amendments: late entries and withdrawals, numbered and chained to the spec's digest.

An amendment says which fixtures had not begun and are dropped, and from which index on fixtures are planned
with the new field. With it schedule and results determine what is played, as before: nothing depends on
when it was made but what it says. What is not here: planning anew (`replan`, `ladder`).
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Sequence
from enum import Enum
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from kiery.tournament.entrant import Entrant, check_names, refuse
from kiery.tournament.schedule import Fixture
from kiery.tournament.spec import MAX_ENTRANTS, Format, Sharing, TournamentSpec
from kiery.tournament.spec_text import SpecError

__all__ = [
    "Amendment",
    "Leaving",
    "amended_spec",
    "amendment_digest",
    "amendment_from_json",
    "entry",
    "fixtures_in",
    "withdrawal",
]

_PREFIX: Final = b"kiery-amendment-1\0"
_AMENDED: Final = frozenset({Format.ROUND_ROBIN, Format.LADDER})


class Leaving(Enum):
    """What a withdrawal means for the standings."""

    REMOVED = "removed"
    """Before half of its schedule: it is not ranked, its deals stay in the fit, the rest is planned anew."""
    CHARGED = "charged"
    """From half on: it is ranked, and the substitute plays its remaining fixtures as forfeits."""
    PAIRED_NO_MORE = "paired_no_more"
    """In a ladder, which has no length: it is ranked by what it played."""


class Amendment(BaseModel):
    """One change of the field: either a late entry or a withdrawal."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    number: Annotated[int, Field(strict=True, ge=1)]
    """From 1, without a gap."""
    entrant: Entrant | None = None
    """Who enters late; its index follows on those of all before."""
    withdrawn: Annotated[int, Field(strict=True, ge=0)] | None = None
    """The index of who leaves."""
    leaving: Leaving | None = None
    """What a withdrawal means."""
    first_fixture: Annotated[int, Field(strict=True, ge=0)]
    """Fixtures with this index and later ones are planned with the new field."""
    dropped: Annotated[str, Field(pattern=r"^(\d+(-\d+)?(,\d+(-\d+)?)*)?$")] = ""
    """Fixtures that had not begun and are never played, as ascending ranges such as `3-7,9`."""

    @model_validator(mode="after")
    def _check(self) -> "Amendment":
        if (self.entrant is None) == (self.withdrawn is None):
            raise refuse("an amendment is a late entry or a withdrawal: expected one of them")
        if (self.leaving is None) != (self.withdrawn is None):
            raise refuse("what leaving means belongs to a withdrawal")
        return self


def amendment_from_json(text: str, source: str) -> Amendment:
    """Reads an amendment as it is stored.

    Raises:
        SpecError: It is malformed.
    """
    try:
        return Amendment.model_validate_json(text)
    except ValidationError as error:
        raise SpecError(f"{source}: {error.errors()[0]['msg']}: expected an amendment") from None


def amendment_digest(previous: bytes, amendment: Amendment) -> bytes:
    """Returns the SHA-256 of an amendment and all before it, 32 bytes.

    Args:
        previous: The digest of the amendment before, of the first the spec's.
        amendment: Its command line is left out, as in a spec.
    """
    plain = amendment.model_dump(mode="json", exclude={"entrant": {"command"}})
    if amendment.entrant is not None:
        plain["entrant"]["kind"] = amendment.entrant.kind.value
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(_PREFIX + previous + text.encode("ascii")).digest()


def amended_spec(spec: TournamentSpec, amendments: Iterable[Amendment]) -> TournamentSpec:
    """Returns the spec with the late entrants; those who left keep their index."""
    late = tuple(each.entrant for each in amendments if each.entrant is not None)
    return spec.model_copy(update={"entrants": spec.entrants + late}) if late else spec


def fixtures_in(ranges: str) -> frozenset[int]:
    """Returns the fixtures that ranges name."""
    found: set[int] = set()
    for part in ranges.split(",") if ranges else ():
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return frozenset(found)


def _ranges(fixtures: Iterable[int]) -> str:
    """Returns fixtures as ascending ranges; the inverse of `fixtures_in`."""
    spans: list[list[int]] = []
    for index in sorted(fixtures):
        if spans and spans[-1][1] == index - 1:
            spans[-1][1] = index
        else:
            spans.append([index, index])
    return ",".join(f"{first}" if first == last else f"{first}-{last}" for first, last in spans)


def entry(
    spec: TournamentSpec,
    amendments: Sequence[Amendment],
    fixtures: Sequence[Fixture],
    entrant: Entrant,
    begun: Collection[int],
) -> Amendment:
    """Returns the amendment by which somebody enters late.

    Args:
        spec: The tournament with its amendments so far.
        amendments: Those.
        fixtures: All that is planned.
        entrant: Who enters.
        begun: Fixtures that have an attempt, or are being played.

    Raises:
        SpecError: The format or the field does not allow it, or the name is taken.
    """
    _refuse_format(spec)
    try:
        check_names([*spec.entrants, entrant])
    except PydanticCustomError as error:
        raise SpecError(f"{spec.name}: {error}") from None
    if len(spec.entrants) >= MAX_ENTRANTS:
        raise SpecError(f"{spec.name} has {MAX_ENTRANTS} entrants: expected no more")
    dropped = _open(fixtures, begun) if spec.format is Format.ROUND_ROBIN else []
    return Amendment(
        number=len(amendments) + 1,
        entrant=entrant,
        first_fixture=len(fixtures),
        dropped=_ranges(dropped),
    )


def withdrawal(
    spec: TournamentSpec,
    amendments: Sequence[Amendment],
    fixtures: Sequence[Fixture],
    name: str,
    begun: Collection[int],
    finished: Collection[int],
) -> Amendment:
    """Returns the amendment by which somebody leaves.

    Args:
        spec: The tournament with its amendments so far.
        amendments: Those.
        fixtures: All that is planned.
        name: Who leaves.
        begun: Fixtures that have an attempt, or are being played.
        finished: Fixtures that have a valid one.

    Raises:
        SpecError: The format does not allow it, nobody is called so, or too few would be left.
    """
    _refuse_format(spec)
    gone = {each.withdrawn for each in amendments if each.withdrawn is not None}
    names = [entrant.name for entrant in spec.entrants]
    if name not in names or names.index(name) in gone:
        raise SpecError(f"{spec.name} has no entrant {name[:64]!a} that could withdraw")
    bot = names.index(name)
    own = [fixture for fixture in fixtures if bot in fixture.seats and not fixture.dropped]
    played = sum(fixture.index in finished for fixture in own)
    dropped: list[int] = []
    if spec.format is Format.LADDER:
        leaving = Leaving.PAIRED_NO_MORE
        dropped = _open(own, begun)
    elif 2 * played >= len(own):
        leaving = Leaving.CHARGED
    else:
        leaving = Leaving.REMOVED
        dropped = _open(fixtures, begun)
    left = len(names) - len(gone) - 1
    if leaving is not Leaving.CHARGED and left < spec.rules.players:
        raise SpecError(
            f"{spec.name}: without {name} {left} entrants are left for tables of {spec.rules.players}:"
            " expected enough for one"
        )
    return Amendment(
        number=len(amendments) + 1,
        withdrawn=bot,
        leaving=leaving,
        first_fixture=len(fixtures),
        dropped=_ranges(dropped),
    )


def _open(fixtures: Iterable[Fixture], begun: Collection[int]) -> list[int]:
    return [each.index for each in fixtures if each.index not in begun and not each.dropped]


def _refuse_format(spec: TournamentSpec) -> None:
    if spec.format not in _AMENDED:
        raise SpecError(f"a {spec.format.value} keeps its field: expected a round_robin or a ladder")
    if spec.sharing is not Sharing.INDEPENDENT:
        raise SpecError(f"{spec.name} shares boards, so its sets must be played whole: expected independent")
    if spec.house_count:
        raise SpecError(f"{spec.name} fills its only table with house bots: expected a full table")
