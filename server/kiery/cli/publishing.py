"""The commands `kiery tournament publish` and `audit`: their options."""

from pathlib import Path
from typing import Annotated

import typer

from kiery.cli.options import JsonOption, StoreOption

__all__ = ["audit", "publish"]


def publish(
    name: Annotated[str, typer.Argument(help="The tournament.")],
    *,
    out: Annotated[Path | None, typer.Option(help="A file; without it standard output.")] = None,
    store: StoreOption = None,
) -> None:
    """Writes what others need to check a tournament, as JSON lines.

    Before its end that is the announcement: spec, commitment, schedule. After it the secret, every record and
    the standings too; `kiery tournament audit` checks them.
    """
    from kiery.cli.published import publish_tournament

    publish_tournament(name, out, store)


def audit(
    what: Annotated[
        str, typer.Argument(metavar="FILE|NAME", help="What was published, or a tournament of a store.")
    ],
    *,
    announced: Annotated[
        Path | None, typer.Option(help="What was published before the first deal, to compare.")
    ] = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Checks a tournament that is over from its published data alone; exit 1 where something disagrees.

    Commitment, schedule, boards, every card, hash chains, attempts and standings are computed again.
    """
    from kiery.cli.published import audit_tournament

    audit_tournament(what, announced, store, as_json=json)
