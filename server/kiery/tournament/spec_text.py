"""A spec as text: reading TOML and JSON with errors that say where, the digest, and what differs.

What is not here: reading the file itself (`cli`).
"""

import hashlib
import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic import JsonValue, ValidationError

from kiery.errors import InputError
from kiery.rules import parameters_of
from kiery.tournament.spec import TournamentSpec

__all__ = [
    "SpecError",
    "canonical_spec",
    "differing_fields",
    "digest",
    "json_schema",
    "spec_from_json",
    "spec_from_toml",
    "spec_from_values",
    "spec_to_json",
]

_MAX_TEXT: Final = 1 << 20
_MAX_REASON: Final = 300


class SpecError(InputError):
    """A spec that cannot be used; the message is one line that says where and what was expected."""

    reason = "INVALID_SPEC"


def _path(location: Sequence[int | str]) -> str:
    """Returns `entrants[2].name` for a key path."""
    path = ""
    for step in location:
        path += f"[{step}]" if isinstance(step, int) else f".{step}"
    return path.removeprefix(".")


def _one_line(text: str) -> str:
    """Keeps a message on one line and its length bounded, whatever the input held."""
    line = " ".join(text.split())
    return "".join(c if c.isprintable() else "?" for c in line)[:_MAX_REASON]


def spec_from_values(values: Mapping[str, Any], source: str = "spec") -> TournamentSpec:
    """Returns the spec that plain values describe, as a file or arguments give them.

    Args:
        values: By field name; tables are mappings.
        source: What the values came from, for messages.

    Raises:
        SpecError: Names the source, the key and what was expected.
    """
    try:
        return TournamentSpec.model_validate(values)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False)
        first = faults[0]
        # An unhashable or odd key may stand in the path: it came from the file.
        where = _path(first["loc"])
        text = f"{source}: {where + ': ' if where else ''}{_explain(first['type'], first['msg'])}"
        if len(faults) > 1:
            text += f" (and {len(faults) - 1} more)"
        raise SpecError(_one_line(text), source=source, field=where) from None
    except RecursionError:
        raise SpecError(f"{source}: nested too deeply: expected a spec") from None


def _explain(kind: str, message: str) -> str:
    match kind:
        case "missing":
            return "is missing: expected a value"
        case "extra_forbidden":
            return "is no field of a spec: remove it or correct its name"
        case "string_pattern_mismatch":
            return "expected 1 to 64 of the characters A-Z a-z 0-9 . _ -"
        case "kiery":
            return message
        case _:
            return message[:1].lower() + message[1:]


def spec_from_toml(text: str, source: str) -> TournamentSpec:
    """Reads a spec as TOML.

    Args:
        text: The whole file.
        source: The file's name, for messages.

    Raises:
        SpecError: Names the source and the place: line and column for syntax, the key for a value.
    """
    _check_size(text, source)
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        reason = str(error).replace("end of document", _end_of(text))
        raise SpecError(_one_line(f"{source}: not TOML: {reason}"), source=source) from None
    except RecursionError:
        raise SpecError(f"{source}: nested too deeply: expected a spec", source=source) from None
    return spec_from_values(values, source)


def spec_from_json(text: str, source: str = "spec") -> TournamentSpec:
    """Reads a spec as JSON; the inverse of `spec_to_json`.

    Raises:
        SpecError: Names the source and the place.
    """
    _check_size(text, source)
    try:
        values = json.loads(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise SpecError(_one_line(f"{source}: not JSON: {error.msg} (at {place})"), source=source) from None
    except RecursionError:
        raise SpecError(f"{source}: nested too deeply: expected a spec", source=source) from None
    if not isinstance(values, dict):
        raise SpecError(f"{source}: expected a JSON object", source=source)
    return spec_from_values(values, source)


def _end_of(text: str) -> str:
    """Returns the place after the last character."""
    lines = text.split("\n")
    return f"line {len(lines)}, column {len(lines[-1]) + 1}, the end"


def _check_size(text: str, source: str) -> None:
    if len(text) > _MAX_TEXT:
        raise SpecError(f"{source}: more than {_MAX_TEXT} characters: expected a spec", source=source)


def spec_to_json(spec: TournamentSpec) -> str:
    """Returns the spec as JSON, command lines and defaults included."""
    return spec.model_dump_json(exclude_none=True)


def json_schema() -> dict[str, Any]:
    """Returns the JSON schema of a spec; a TOML file obeys it too."""
    return TournamentSpec.model_json_schema()


def canonical_spec(spec: TournamentSpec) -> dict[str, JsonValue]:
    """Returns what the digest covers: all but command lines, with every default and rule resolved.

    Two ways of writing the same tournament are therefore equal, and a preset that changes is not.
    """
    plain: dict[str, JsonValue] = spec.model_dump(mode="json", exclude={"entrants": {"__all__": {"command"}}})
    entrants = plain["entrants"]
    if isinstance(entrants, list):
        plain["entrants"] = [
            {**fields, "kind": entrant.kind.value}
            for fields, entrant in zip(entrants, spec.entrants, strict=True)
            if isinstance(fields, dict)
        ]
    rules = spec.played_rules
    plain["rules"] = {
        "preset": rules.preset,
        "players": rules.num_players,
        "parameters": parameters_of(rules),
    }
    plain["deals"] = spec.deals_per_match
    for key in ("tables_budget", "challengers", "final_length", "test"):
        # What another format has says nothing about this one.
        plain.pop(key)
    plain |= spec.format_choices
    return plain


def digest(spec: TournamentSpec) -> bytes:
    """Returns the SHA-256 of the canonical spec, 32 bytes.

    The text hashed is JSON with sorted keys, no spaces and ASCII escapes.
    """
    text = json.dumps(canonical_spec(spec), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).digest()


def _leaves(value: JsonValue, path: str = "") -> Iterator[tuple[str, JsonValue]]:
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from _leaves(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        for index, item in enumerate(value):
            yield from _leaves(item, f"{path}[{index}]")
    else:
        yield path, value


def differing_fields(a: TournamentSpec, b: TournamentSpec) -> list[tuple[str, JsonValue, JsonValue]]:
    """Returns path, value in `a` and value in `b` of each field whose difference changes the digest.

    A field that one of them lacks, such as a further entrant's, counts as none there. Empty exactly
    when the digests are equal.
    """
    left, right = dict(_leaves(canonical_spec(a))), dict(_leaves(canonical_spec(b)))
    paths = [*left, *(path for path in right if path not in left)]
    return [
        (path, left.get(path), right.get(path))
        for path in paths
        if (path in left) != (path in right) or left.get(path) != right.get(path)
    ]
