"""The page: what stands around the sections, its style, and how all of it can be checked."""

import base64
import hashlib
import shlex
from importlib.resources import files
from pathlib import Path
from typing import Final

from kiery import __version__
from kiery.cli.report.element import Child, Markup, element, join, name_of
from kiery.cli.report.sections import (
    breakdown_section,
    cross_section,
    faults_section,
    history_section,
    leak_section,
    luck_section,
    moons_section,
    note,
    schedule_section,
    section,
    standings_section,
    think_section,
)
from kiery.cli.results.account import Account
from kiery.cli.results.files import whole_file
from kiery.cli.results.tables import fact_rows
from kiery.store import Store

__all__ = ["report_page", "write_report"]

_LINKS: Final = {
    "standings": "Standings",
    "cross": "Cross table",
    "history": "Over time",
    "seats": "Seats",
    "think": "Think time",
    "moons": "Moons",
    "luck": "Luck",
    "faults": "Faults",
    "leak": "Leak audit",
    "schedule": "Schedule",
    "proof": "Proof",
}

_HOW_DEALT: Final = (
    'C was published before the first card: C = SHA-256("kiery-commit-1" ‖ 00 ‖ S). With S, E and the'
    " label of a board anybody can deal it again. The digest of the records is SHA-256 over those of all"
    " valid matches in the order of the schedule; a match's own is the head of a chain of hashes over"
    " its deals."
)
_HOW_CHECKED: Final = (
    "Every number on this page but luck follows from the records: the first command deals and plays all"
    " of them again, the others write what another program needs to compute the rest."
)


def write_report(account: Account, _: Store, path: Path) -> list[Path]:
    """Writes the report and returns its path, as a list of one.

    Raises:
        InputError: It cannot be written.
    """
    with whole_file(path) as file:
        file.write(report_page(account).encode())
    return [path]


def report_page(account: Account) -> str:
    """Returns the whole page: HTML that is well-formed XML too, so that any reader can take it apart."""
    style = files("kiery.cli.report").joinpath("report.css").read_text(encoding="utf-8")
    sections = [
        standings_section(account),
        cross_section(account),
        history_section(account),
        breakdown_section(account),
        think_section(account),
        moons_section(account),
        luck_section(account),
        faults_section(account),
        *([leak_section(account)] if account.leak is not None else []),
        schedule_section(account),
        _proof_section(account),
    ]
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy(style)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", f"{account.name} – kiery"),
        # The style sheet is ours and holds nothing that is markup.
        element("style", Markup(style)),
    )
    body = element("body", _header(account), element("main", *sections), _footer())
    page = element("html", head, body, lang="en", xmlns="http://www.w3.org/1999/xhtml")
    return f"<!DOCTYPE html>\n{page}\n"


def _policy(style: str) -> str:
    """Returns a policy that allows nothing but this one style sheet."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _header(account: Account) -> Markup:
    spec = account.plan.spec
    rules = account.rules
    played = f"{account.scoreboard.fixtures} of {account.plan.length}"
    figures: dict[str, Child] = {
        "entrants": len(spec.entrants),
        "matches": played,
        "deals": f"{account.scoreboard.deals:,}".replace(",", "\u202f"),
        "faults": account.scoreboard.faults.total(),
    }
    shared = "shared in laps" if account.leak is not None else "each match its own"
    links = {name: text for name, text in _LINKS.items() if name != "leak" or account.leak is not None}
    return element(
        "header",
        element("h1", name_of(account.name)),
        element(
            "p",
            f"{rules.preset} for {rules.num_players}; boards: {shared}; {account.stored.status.value}",
            class_="soft",
        ),
        element(
            "ul",
            *(element("li", element("b", value), name) for name, value in figures.items()),
            class_="figures",
        ),
        element("nav", *(join([element("a", text, href=f"#{name}"), " "]) for name, text in links.items())),
    )


def _proof_section(account: Account) -> Markup:
    facts = fact_rows(account)
    shown = {
        "commitment C": facts["commitment"],
        "secret S": facts["secret"] or "published when the tournament is over",
        "entropy E": facts["entropy"] or "none",
        "digest of the spec": facts["spec_digest"],
        "digest of the records": facts["records_digest"],
    }
    pairs = [
        join([element("dt", name), element("dd", element("code", str(value)))])
        for name, value in shown.items()
    ]
    name = shlex.quote(account.name)
    commands = "\n".join(
        [
            f"kiery tournament audit {name}",
            f"kiery tournament export {name} --format json --out results.json",
            f"kiery replay export {name} --out transcripts.jsonl",
        ]
    )
    return section(
        "proof",
        "Proof",
        element("p", _HOW_DEALT),
        element("dl", *pairs),
        note(_HOW_CHECKED),
        element("pre", commands),
    )


def _footer() -> Markup:
    return element("footer", f"kiery {__version__}")
