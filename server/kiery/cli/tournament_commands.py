"""The commands below `kiery tournament`. Each imports what it needs when it runs, as in `commands`."""

from pathlib import Path
from typing import Annotated

import typer

from kiery.cli.options import JsonOption, LuckOption, SeedOption, StoreOption
from kiery.cli.publishing import audit, publish

__all__ = ["tournament_app"]

tournament_app = typer.Typer(help="Tournaments in a store.", no_args_is_help=True)


@tournament_app.command("create")
def tournament_create(
    file: Annotated[Path, typer.Argument(help="A tournament file (TOML).")],
    *,
    seed_file: SeedOption = None,
    store: StoreOption = None,
) -> None:
    """Adds a tournament to a store and prints its commitment; `kiery serve` plays it."""
    from kiery.cli.tournaments import create_tournament

    create_tournament(file, seed_file, store)


@tournament_app.command("list")
def tournament_list(*, store: StoreOption = None, json: JsonOption = False) -> None:
    """Lists the tournaments of a store."""
    from kiery.cli.tournaments import list_tournaments

    list_tournaments(store, as_json=json)


@tournament_app.command("show")
def tournament_show(
    name: Annotated[str, typer.Argument(help="The tournament.")],
    *,
    schedule: Annotated[bool, typer.Option("--schedule", help="Check the schedule and print it.")] = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Shows a tournament: what is played, who plays, how far it is."""
    from kiery.cli.tournaments import show_tournament

    show_tournament(name, store, with_schedule=schedule, as_json=json)


@tournament_app.command("standings")
def tournament_standings(
    name: Annotated[str, typer.Argument(help="The tournament.")],
    *,
    cross: Annotated[bool, typer.Option("--cross", help="Show everybody against everybody too.")] = False,
    luck: LuckOption = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Shows the standings of a tournament, running or complete."""
    from kiery.cli.tournaments import show_standings

    show_standings(name, store, with_cross=cross, with_luck=luck, as_json=json)


@tournament_app.command("export")
def tournament_export(
    name: Annotated[str, typer.Argument(help="The tournament.")],
    *,
    format_: Annotated[str, typer.Option("--format", help="csv, json, parquet or html.")] = "html",
    out: Annotated[
        Path | None,
        typer.Option(help="A folder; for json and html also a file.", show_default="the current folder"),
    ] = None,
    luck: LuckOption = False,
    store: StoreOption = None,
) -> None:
    """Writes a tournament's tables, or a report with pictures, to files."""
    from kiery.cli.results.command import export_tournament

    export_tournament(name, format_, out, store, with_luck=luck)


tournament_app.command("publish")(publish)
tournament_app.command("audit")(audit)


@tournament_app.command("add")
def tournament_add(
    name: Annotated[str, typer.Argument(help="The tournament.")],
    bot: Annotated[str, typer.Argument(help='NAME=random|low|cautious, NAME="COMMAND" or NAME=remote.')],
    *,
    owner: Annotated[str, typer.Option(help="Who enters it.")] = "",
    version: Annotated[str, typer.Option(help="Its version.")] = "",
    store: StoreOption = None,
) -> None:
    """Enters a bot late: what has not begun is planned anew. For a store that no server is using."""
    from kiery.cli.tournaments import enter_late

    enter_late(name, bot, owner, version, store)


@tournament_app.command("withdraw")
def tournament_withdraw(
    name: Annotated[str, typer.Argument(help="The tournament.")],
    bot: Annotated[str, typer.Argument(help="Who leaves.")],
    *,
    store: StoreOption = None,
) -> None:
    """Withdraws a bot: before half of its schedule it is not ranked, later the rest is forfeited."""
    from kiery.cli.tournaments import withdraw

    withdraw(name, bot, store)


@tournament_app.command("schema")
def tournament_schema() -> None:
    """Prints the JSON schema of a tournament file."""
    from kiery.cli.tournaments import print_schema

    print_schema()
