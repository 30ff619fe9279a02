"""The spec: everything an organiser decides about a tournament, as one frozen value.

Schedule, seats and boards are a pure function of it, the secret and the entropy (docs/fairness.md).
What is not here: reading a spec from a file's text and comparing two of them (`spec_text`).
"""

from enum import Enum
from functools import cached_property
from math import ceil
from typing import Annotated, Final

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    PlainSerializer,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from kiery.errors import KieryError
from kiery.policy import POLICIES
from kiery.rules import Moon, OpeningLead, Rules, rules_from
from kiery.terms import FaultPolicy, ForcedActions, TimeControl
from kiery.tournament.entrant import Entrant, check_names, house_entrants, refuse
from kiery.tournament.sequential import Lineup, SequentialTest

__all__ = [
    "MAX_ENTRANTS",
    "SEQUENTIAL",
    "Clocks",
    "Faults",
    "Format",
    "Pairing",
    "RulesChoice",
    "Sharing",
    "TournamentSpec",
]

MAX_ENTRANTS: Final = 400
"""Entrants of one tournament; schedules are tested up to here."""

_CLOCKS: Final = TimeControl()
_FAULTS: Final = FaultPolicy()
_SUBSTITUTES: Final = tuple(str(policy) for policy in POLICIES.values())

_WEEK_MS: Final = 7 * 24 * 3600 * 1000


class Format(Enum):
    """Who is ranked against whom."""

    ROUND_ROBIN = "round_robin"
    """Everybody meets everybody."""
    MATCH = "match"
    """Two entrants that hold two seats each, with a sequential test."""
    GAUNTLET = "gauntlet"
    """The first entrants, one at a time, against tables of all others."""
    LADDER = "ladder"
    """One table after the other, made of those that are known worst and play alike."""
    FINAL = "final"
    """A round robin, then a long table of the best."""


SEQUENTIAL: Final = frozenset({Format.MATCH, Format.LADDER, Format.FINAL})
"""Formats of which later fixtures follow from the results of earlier ones."""

_ONE_FORMAT: Final = {
    "challengers": Format.GAUNTLET,
    "final_length": Format.FINAL,
    "test": Format.MATCH,
}
"""Fields that only one format has."""

_FINAL_FACTOR: Final = 10


class Pairing(Enum):
    """Which tables a round robin plays."""

    BALANCED = "balanced"
    """Every pair of entrants shares a table equally often, with as few tables as that takes."""
    COMPLETE = "complete"
    """Every choice of entrants that fills a table."""


class Sharing(Enum):
    """Whether the fixtures of a set share boards."""

    INDEPENDENT = "independent"
    """Every fixture has boards of its own."""
    LAPS = "laps"
    """The fixtures of a set share boards; all sets play one arrangement after the other."""


_Count = Annotated[int, Field(strict=True, ge=1, le=1_000_000)]
_Milliseconds = Annotated[int, Field(strict=True, ge=0, le=_WEEK_MS)]


class _Part(BaseModel):
    """A part of the spec: frozen, and a field that does not exist is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class RulesChoice(_Part):
    """What is played, as it is written down."""

    preset: str = "hearts"
    """The named variant to start from."""
    players: Annotated[int, Field(strict=True, ge=3, le=11)] = 4
    """Seats at each table."""
    parameters: dict[str, JsonValue] = Field(default_factory=dict)
    """Rule parameters that differ from the preset, by name; see docs/rules.md."""

    @model_validator(mode="after")
    def _check(self) -> "RulesChoice":
        try:
            rules_from(self.preset, self.players, self.parameters)
        except KieryError as error:
            raise refuse(str(error)) from None
        return self


class Clocks(_Part):
    """Time limits of a match, all in milliseconds of the server's monotonic clock."""

    ready_ms: Annotated[_Milliseconds, Field(ge=1)] = _CLOCKS.ready_ms
    """From the opening of the table to ready: start-up, model loading."""
    decision_ms: _Milliseconds = _CLOCKS.decision_ms
    """For each decision before the bank is touched; 0: no limit but the ceiling."""
    bank_ms: _Milliseconds = _CLOCKS.bank_ms
    """Shared by all decisions of a match, spent when a decision exceeds its limit."""
    ceiling_ms: Annotated[_Milliseconds, Field(ge=1)] = _CLOCKS.ceiling_ms
    """Absolute limit of a decision from its opening, stalls and grace included."""
    grace_ms: _Milliseconds = _CLOCKS.grace_ms
    """Bank a match, spent only while the stream is lost and a decision is open."""

    @property
    def terms(self) -> TimeControl:
        """The same as the table knows it."""
        return TimeControl(**self.model_dump())


class Faults(_Part):
    """What a missing or rejected answer costs."""

    retries: Annotated[int, Field(strict=True, ge=0, le=100)] = _FAULTS.retries
    """Rejected answers to a decision that may be followed by another try."""
    faults_per_deal: Annotated[int, Field(strict=True, ge=1, le=1000)] = _FAULTS.faults_per_deal
    """Faults in a deal from which on the substitute keeps the seat for the rest of it."""
    substitute: str = _FAULTS.substitute
    """The built-in policy, with its version, that acts for a seat that does not."""

    @field_validator("substitute")
    @classmethod
    def _check_substitute(cls, value: str) -> str:
        if value not in _SUBSTITUTES:
            raise refuse(f"no substitute is called {value[:32]!a}: expected one of {', '.join(_SUBSTITUTES)}")
        return value

    @property
    def terms(self) -> FaultPolicy:
        """The same as the table knows it."""
        return FaultPolicy(**self.model_dump())


def _forced_actions(value: object) -> object:
    """Reads the name of a choice as files have it."""
    names = {choice.name.lower(): choice for choice in ForcedActions}
    if isinstance(value, str):
        if value not in names:
            raise refuse(f"{value[:32]!a} is no choice: expected one of {', '.join(names)}")
        return names[value]
    return value


_ForcedActions = Annotated[
    ForcedActions,
    BeforeValidator(_forced_actions),
    PlainSerializer(lambda choice: choice.name.lower(), return_type=str),
    WithJsonSchema({"enum": [choice.name.lower() for choice in ForcedActions], "default": "ask"}),
]


class TournamentSpec(_Part):
    """What a tournament is."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,64}$")]
    """Names the tournament and begins the label of each of its boards."""
    rules: RulesChoice = RulesChoice()
    """What is played, and at how many seats."""
    entrants: Annotated[tuple[Entrant, ...], Field(min_length=1, max_length=MAX_ENTRANTS)]
    """The bots, in the order that decides nothing but their numbers."""
    format: Format = Format.ROUND_ROBIN
    """Who is ranked against whom."""
    schedule: Pairing = Pairing.BALANCED
    """Which tables a round robin plays."""
    deals: _Count | None = None
    """Deals of a match; none: one pass cycle, or one deal a dealer where the dealer's left opens."""
    target: _Count | None = None
    """Play each match until a total reaches this, instead of a fixed number of deals."""
    deals_per_bot: _Count | None = None
    """Deals that each entrant plays at least, rounded up to whole sets of the whole schedule; none: the
    sets that balance neighbours. In a match the most, in a gauntlet those of each challenger, in a ladder
    the mean."""
    tables_budget: _Count | None = None
    """About so many tables instead of a whole design; in a ladder exactly so many sets."""
    challengers: _Count | None = None
    """In a gauntlet, how many of the first entrants are the challengers; none: one."""
    final_length: _Count | None = None
    """With a final, how many times the length of a table it has; none: ten."""
    test: SequentialTest | None = None
    """In a match, its sequential test; none: the default one."""
    sharing: Sharing = Sharing.INDEPENDENT
    """Whether the fixtures of a set share boards."""
    separate_owners: bool = Field(default=False, strict=True)
    """Whether two entrants of one owner are kept from sharing a table."""
    rated: bool = Field(default=False, strict=True)
    """Whether rating or prizes are at stake: then boards are independent and forced cards are asked for."""
    time_control: Clocks = Clocks()
    """The clocks."""
    fault_policy: Faults = Faults()
    """The cost of faults."""
    forced_actions: _ForcedActions = ForcedActions.ASK
    """Who plays a single legal card."""
    entropy: Annotated[str, Field(max_length=4096)] = ""
    """Public entropy, known only after the commitment; may be empty."""

    @field_validator("name")
    @classmethod
    def _check_name(cls, value: str) -> str:
        if value in {".", ".."}:
            raise refuse("is a folder's name: expected letters or digits in it")
        return value

    @field_validator("entrants")
    @classmethod
    def _check_entrants(cls, value: tuple[Entrant, ...]) -> tuple[Entrant, ...]:
        check_names(value)
        return value

    @model_validator(mode="after")
    def _check(self) -> "TournamentSpec":
        self._check_format()
        if self.deals is not None and self.target is not None:
            raise refuse("both deals and target are given: expected one of them")
        if self.rated and self.sharing is not Sharing.INDEPENDENT:
            raise refuse("a rated tournament shares boards: expected sharing independent")
        if self.rated and self.forced_actions is not ForcedActions.ASK:
            raise refuse("a rated tournament plays forced cards itself: expected forced_actions ask")
        self._check_owners()
        return self

    def _check_format(self) -> None:
        for key, only in _ONE_FORMAT.items():
            if getattr(self, key) is not None and self.format is not only:
                raise refuse(f"{key} is given, and the format is {self.format.value}: expected {only.value}")
        named = self.format.value
        if self.format in SEQUENTIAL and self.sharing is not Sharing.INDEPENDENT:
            raise refuse(f"a {named} plans on from its results: expected sharing independent")
        if self.format in {Format.MATCH, Format.LADDER} and self.schedule is not Pairing.BALANCED:
            raise refuse(f"a {named} has no {self.schedule.value} schedule: expected balanced")
        if self.tables_budget is not None and self.schedule is not Pairing.BALANCED:
            raise refuse("tables_budget and a complete schedule are given: expected one of them")
        if self.format in {Format.MATCH, Format.GAUNTLET} and self.separate_owners:
            raise refuse(f"separate_owners is set, and a {named} decides who meets: expected another format")
        self._check_field()

    def _check_field(self) -> None:
        count, players = len(self.entrants), self.rules.players
        match self.format:
            case Format.MATCH if count != 2:
                raise refuse(f"a match has {count} entrants: expected 2")
            case Format.MATCH if self.tables_budget is not None:
                raise refuse("a match has no tables_budget: expected deals_per_bot")
            case Format.GAUNTLET if self.challenger_count >= count:
                raise refuse(f"all {count} entrants are challengers: expected a field beside them")
            case Format.LADDER if count < players:
                raise refuse(f"a ladder has {count} entrants: expected {players} at least, a table")
            case Format.FINAL if count <= players:
                raise refuse(f"a final has {players} seats for {count} entrants: expected more of them")
            case _:
                pass

    def _check_owners(self) -> None:
        owners = {entrant.owner or entrant.name for entrant in self.entrants}
        if self.separate_owners and len(owners) < min(self.rules.players, len(self.entrants)):
            raise refuse(
                f"separate_owners is set, and {len(owners)} owners cannot fill a table of"
                f" {self.rules.players}: expected as many owners as seats"
            )

    # What follows from the fields.

    @cached_property
    def played_rules(self) -> Rules:
        """The rules with every override, the target included."""
        parameters = dict(self.rules.parameters)
        if self.target is not None:
            parameters["target_score"] = self.target
        return rules_from(self.rules.preset, self.rules.players, parameters)

    @property
    def deals_per_match(self) -> int | None:
        """Deals of a match; none when it is played to a target."""
        if self.target is not None or self.deals is not None:
            return self.deals
        rules = self.played_rules
        dealer_matters = rules.opening_lead is OpeningLead.DEALER_LEFT
        return rules.num_players if dealer_matters else len(rules.pass_cycle)

    @property
    def fewest_deals(self) -> int:
        """The deals that a match takes at least: with a target, if one seat took every point each time."""
        if self.deals_per_match is not None:
            return self.deals_per_match
        rules = self.played_rules
        moon = 0 if rules.moon in {Moon.OFF, Moon.SHOOTER_MINUS} else rules.moon_points
        most = max(rules.pack_points, moon) + max(0, rules.bonus_points) * rules.bonus_copies
        fewest = ceil(rules.target_score / most) if most else 1
        return min(fewest, rules.max_deals or fewest)

    @property
    def seated_entrants(self) -> tuple[Entrant, ...]:
        """The entrants, then the house bots that fill the table if there are too few."""
        return self.entrants + house_entrants(self.house_count)

    @property
    def house_count(self) -> int:
        """How many house bots play: only those that a table lacks."""
        players = self.rules.players
        match self.format:
            case Format.MATCH:
                return players % 2 if self.sequential_test.lineup is Lineup.AABB else players - 2
            case Format.GAUNTLET:
                return max(0, players - 1 - (len(self.entrants) - self.challenger_count))
            case _:
                return max(0, players - len(self.entrants))

    @property
    def challenger_count(self) -> int:
        """How many of the first entrants are challengers in a gauntlet."""
        return self.challengers or 1

    @property
    def final_factor(self) -> int:
        """How many times the length of a table a final has."""
        return self.final_length or _FINAL_FACTOR

    @property
    def sequential_test(self) -> SequentialTest:
        """The test of a match."""
        return self.test or SequentialTest()

    @property
    def format_choices(self) -> dict[str, JsonValue]:
        """The choices that this format has besides those of all, with their defaults resolved."""
        choices: dict[str, JsonValue] = {}
        if self.tables_budget is not None:
            choices["tables_budget"] = self.tables_budget
        match self.format:
            case Format.MATCH:
                choices["test"] = self.sequential_test.model_dump(mode="json")
            case Format.GAUNTLET:
                choices["challengers"] = self.challenger_count
            case Format.FINAL:
                choices["final_length"] = self.final_factor
            case _:
                pass
        return choices
