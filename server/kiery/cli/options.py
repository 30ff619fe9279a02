"""Options that several commands share, spelled once."""

from pathlib import Path
from typing import Annotated, Final

import typer

__all__ = [
    "CONNECT_S",
    "BotsOption",
    "ClockOption",
    "ConnectOption",
    "DealsOption",
    "Delta0Option",
    "Delta1Option",
    "InsecureOption",
    "JsonOption",
    "LineupOption",
    "LuckOption",
    "NameOption",
    "SeedOption",
    "StoreOption",
    "TargetOption",
    "TlsCertOption",
    "TlsKeyOption",
]

CONNECT_S: Final = 30.0
"""Seconds that a launched bot may run without having connected."""

StoreOption = Annotated[
    str | None,
    typer.Option(
        envvar="KIERY_STORE",
        help="Where everything is kept: sqlite:///FILE.",
        show_default="sqlite:///kiery.sqlite",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
LuckOption = Annotated[
    bool,
    typer.Option(
        "--luck", help="Play every board again with house bots to see who had the cards; takes a while."
    ),
]
LineupOption = Annotated[
    str | None,
    typer.Option(help="A match of A and B: aabb, or abhh with house bots.", show_default="aabb"),
]
Delta0Option = Annotated[
    float | None,
    typer.Option(help="In a match: points a deal by which A is better under H0.", show_default="-0.5"),
]
Delta1Option = Annotated[float | None, typer.Option(help="The same under H1.", show_default="0.5")]
BotsOption = Annotated[
    list[str] | None,
    typer.Option(
        help='An entrant: NAME=random|low|cautious, NAME="COMMAND", or NAME=remote; may be repeated.',
        show_default=False,
    ),
]
DealsOption = Annotated[
    int | None, typer.Option(min=1, help="Deals in a match.", show_default="one pass cycle")
]
TargetOption = Annotated[int | None, typer.Option(min=1, help="Play each match to this score instead.")]
ClockOption = Annotated[
    int | None, typer.Option(min=0, help="Limit of a decision, milliseconds.", show_default="2000")
]
ConnectOption = Annotated[
    float,
    typer.Option("--connect-s", min=0.1, help="Seconds in which a launched bot must have connected."),
]
SeedOption = Annotated[
    Path | None, typer.Option(help="The secret of the boards: 32 raw bytes or 64 hex digits.")
]
NameOption = Annotated[
    str | None, typer.Option(help="The tournament's name.", show_default="made from what is played")
]
TlsCertOption = Annotated[Path | None, typer.Option(help="Certificate chain, PEM.")]
TlsKeyOption = Annotated[Path | None, typer.Option(help="Private key, PEM.")]
InsecureOption = Annotated[bool, typer.Option("--insecure", help="Allow plain text beyond this machine.")]
