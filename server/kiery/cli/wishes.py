"""What a person asks `kiery run` to play, from a file and options, as a spec."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from kiery.errors import InputError
from kiery.policy import POLICIES
from kiery.rules import PRESETS, UnknownPresetError
from kiery.tournament import Entrant, TournamentSpec, digest, spec_from_toml, spec_from_values, spec_to_json

__all__ = ["Wishes", "entrant_of", "named_bots", "read_secret", "read_spec", "seats_for"]

_SECRET_BYTES: Final = 32
_DUEL: Final = 2
_USUAL_SEATS: Final = 4
_MAX_FILE: Final = 1 << 22
_UNNAMED: Final = "unnamed"
_PLAIN: Final = (
    "deals",
    "target",
    "deals_per_bot",
    "sharing",
    "schedule",
    "format",
    "tables_budget",
    "challengers",
    "entropy",
    "name",
)
"""Wishes that are fields of the spec."""
_TEST: Final = ("lineup", "delta0", "delta1")
"""Wishes that are fields of its test."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """The options of a run; none where nothing was said."""

    file: Path | None = None
    """A tournament file; options outrank it."""
    rules: str | None = None
    """The preset."""
    players: int | None = None
    """Seats at a table."""
    bots: tuple[str, ...] = ()
    """Entrants as NAME=BUILTIN, NAME=COMMAND or NAME=remote."""
    deals: int | None = None
    """Deals of a match."""
    target: int | None = None
    """The score that ends a match."""
    deals_per_bot: int | None = None
    """Deals for each entrant, at least."""
    sharing: str | None = None
    """`independent` or `laps`."""
    schedule: str | None = None
    """`balanced` or `complete`."""
    format: str | None = None
    """`round_robin`, `match`, `gauntlet`, `ladder` or `final`."""
    tables_budget: int | None = None
    """About so many tables."""
    challengers: int | None = None
    """Challengers of a gauntlet."""
    lineup: str | None = None
    """Who sits at the tables of a match: `aabb` or `abhh`."""
    delta0: float | None = None
    """Points a deal by which the first of a match is better under H0."""
    delta1: float | None = None
    """The same under H1."""
    parameters: tuple[str, ...] = ()
    """Rule parameters as NAME=VALUE."""
    decision_ms: int | None = None
    """The limit of a decision."""
    entropy: str | None = None
    """Public entropy."""
    name: str | None = None
    """The tournament's name."""

    def spec(self) -> TournamentSpec:
        """Returns the spec that was asked for.

        Without a name it is called after what is played, so that the same wishes are the same tournament.

        Raises:
            InputError: Something cannot be used; says what and where.
        """
        values: dict[str, Any] = {}
        source = "options"
        if self.file is not None:
            values = json.loads(spec_to_json(read_spec(self.file)))
            source = str(self.file)
        elif not self.bots:
            raise InputError("nobody plays: name a tournament file, or entrants with --bot NAME=random")
        self._override(values)
        if "name" in values:
            return spec_from_values(values, source)
        unnamed = spec_from_values({**values, "name": _UNNAMED}, source)
        name = f"{unnamed.rules.preset}-{unnamed.rules.players}-{digest(unnamed).hex()[:8]}"
        return spec_from_values({**values, "name": name}, source)

    def _override(self, values: dict[str, Any]) -> None:
        self._override_rules(values)
        if self.bots:
            values["entrants"] = [_entrant(text) for text in self.bots]
        if self.deals is not None:
            values.pop("target", None)
        elif self.target is not None:
            values.pop("deals", None)
        for key in _PLAIN:
            if getattr(self, key) is not None:
                values[key] = getattr(self, key)
        test = {key: getattr(self, key) for key in _TEST if getattr(self, key) is not None}
        if test:
            values["test"] = {**values.get("test", {}), **test}
        if self.decision_ms is not None:
            values["time_control"] = {**values.get("time_control", {}), "decision_ms": self.decision_ms}

    def _override_rules(self, values: dict[str, Any]) -> None:
        rules = dict(values.get("rules", {}))
        if self.rules is not None:
            if self.rules not in PRESETS:
                raise UnknownPresetError(
                    f"no preset is called {self.rules[:32]!a}: expected one of {', '.join(PRESETS)}"
                )
            rules["preset"] = self.rules
        if self.players is not None:
            rules["players"] = self.players
        elif self.rules is not None and self.file is None:
            # The usual table of four where the preset has one, else its smallest.
            allowed = PRESETS[self.rules].players
            rules["players"] = _USUAL_SEATS if _USUAL_SEATS in allowed else allowed[0]
        if self.parameters:
            rules["parameters"] = {**rules.get("parameters", {}), **dict(map(_parameter, self.parameters))}
        if rules:
            values["rules"] = rules


def _parameter(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise InputError(f"--set {text[:60]!a}: expected NAME=VALUE, such as moon_points=26")
    try:
        return name, json.loads(value)
    except ValueError:
        # A bare word is a text.
        return name, value


def _entrant(text: str) -> Mapping[str, str]:
    name, equals, what = text.partition("=")
    if not equals or not what.strip():
        raise InputError(
            f'--bot {text[:60]!a}: expected NAME={"|".join(POLICIES)}, NAME="COMMAND" or NAME=remote'
        )
    if what == "remote":
        return {"name": name}
    return {"name": name, "builtin": what} if what in POLICIES else {"name": name, "command": what}


def entrant_of(text: str, *, owner: str = "", version: str = "") -> Entrant:
    """Returns the entrant that `NAME=BUILTIN`, `NAME=COMMAND` or `NAME=remote` describes.

    Raises:
        InputError: It cannot be used; says what was expected.
    """
    try:
        return Entrant.model_validate({**_entrant(text), "owner": owner, "version": version})
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(f"--bot {text[:60]!a}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def named_bots(texts: Sequence[str]) -> tuple[str, ...]:
    """Returns entrants with names: a built-in bot is called after itself, a command bot1, bot2 and so on."""
    named: list[str] = []
    taken: set[str] = set()
    for number, text in enumerate(texts, start=1):
        name, equals, what = text.partition("=")
        if not equals or not name.replace("-", "").replace("_", "").isalnum():
            name, what = (text if text in POLICIES else f"bot{number}"), text
        if name in taken and what in POLICIES:
            name = f"{name}-{number}"
        taken.add(name)
        named.append(f"{name}={what}")
    return tuple(named)


def seats_for(preset: str, bots: int) -> int:
    """Returns the seats of one table for some bots: as many as they are, or the fewest that the preset has.

    Two bots play a match at the usual table of four, where the preset has one.

    Raises:
        InputError: There is no such preset, or it seats fewer.
    """
    found = PRESETS.get(preset)
    if found is None:
        raise UnknownPresetError(f"no preset is called {preset[:32]!a}: expected one of {', '.join(PRESETS)}")
    if bots > found.players[-1]:
        raise InputError(
            f"{preset} seats {found.players[-1]} at most, {bots} bots were named: use `kiery run`"
        )
    if bots == _DUEL and _USUAL_SEATS in found.players:
        return _USUAL_SEATS
    return max(bots, found.players[0])


def read_spec(path: Path) -> TournamentSpec:
    """Returns the spec in a tournament file.

    Raises:
        InputError: The file cannot be read.
        SpecError: It is malformed; says where.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_FILE + 1)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    if len(data) > _MAX_FILE:
        raise InputError(f"{path} has more than {_MAX_FILE} bytes: expected a tournament file")
    try:
        return spec_from_toml(data.decode(), str(path))
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is no UTF-8 text (byte {error.start + 1})") from None


def read_secret(path: Path | None) -> bytes | None:
    """Returns the secret in a seed file: 32 raw bytes or 64 hex digits; none without a file.

    Raises:
        InputError: The file cannot be read or holds something else; never shows what.
    """
    if path is None:
        return None
    try:
        with path.open("rb") as file:
            data = file.read(4 * _SECRET_BYTES)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    if len(data) == _SECRET_BYTES:
        return data
    try:
        secret = bytes.fromhex(data.decode("ascii").strip())
    except ValueError:
        secret = b""
    if len(secret) != _SECRET_BYTES:
        raise InputError(f"{path} is no seed: expected 32 raw bytes or 64 hex digits")
    return secret
