"""The commands and their options. Each imports what it needs when it runs, so that `--help` is quick."""

from pathlib import Path
from typing import Annotated, Any

import typer

from kiery.cli.options import (
    CONNECT_S,
    BotsOption,
    ClockOption,
    ConnectOption,
    DealsOption,
    Delta0Option,
    Delta1Option,
    InsecureOption,
    JsonOption,
    LineupOption,
    NameOption,
    SeedOption,
    StoreOption,
    TargetOption,
    TlsCertOption,
    TlsKeyOption,
)
from kiery.cli.tournament_commands import tournament_app

__all__ = ["app"]

app = typer.Typer(
    name="kiery",
    help="A gRPC tournament server for bots that play Hearts (Kiery) and its family.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode="markdown",
)
bot_app = typer.Typer(help="Credentials of bots and people.", no_args_is_help=True)
replay_app = typer.Typer(help="Records: list, show, verify, export.", no_args_is_help=True)
app.add_typer(tournament_app, name="tournament")
app.add_typer(replay_app, name="replay")
app.add_typer(bot_app, name="bot")


def _print_version(value: bool) -> None:  # noqa: FBT001  (the form of a typer callback)
    if value:
        from kiery import __version__

        typer.echo(f"kiery {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


@app.command()
def run(
    file: Annotated[Path | None, typer.Argument(help="A tournament file (TOML).", show_default=False)] = None,
    *,
    rules: Annotated[str | None, typer.Option(help="Preset: what is played.", show_default="hearts")] = None,
    players: Annotated[int | None, typer.Option(help="Seats at a table.", show_default="4")] = None,
    bot: BotsOption = None,
    deals: DealsOption = None,
    target: TargetOption = None,
    deals_per_bot: Annotated[int | None, typer.Option(help="Deals for each entrant, at least.")] = None,
    sharing: Annotated[
        str | None, typer.Option(help="Boards: independent, or shared in laps.", show_default="independent")
    ] = None,
    schedule: Annotated[
        str | None, typer.Option(help="Tables: balanced or complete.", show_default="balanced")
    ] = None,
    format_: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="round_robin, match, gauntlet, ladder or final.",
            show_default="round_robin",
        ),
    ] = None,
    tables_budget: Annotated[
        int | None,
        typer.Option(help="About so many tables; in a ladder its sets.", show_default="a whole design"),
    ] = None,
    challengers: Annotated[
        int | None, typer.Option(help="In a gauntlet: the first so many entrants.", show_default="1")
    ] = None,
    lineup: LineupOption = None,
    delta0: Delta0Option = None,
    delta1: Delta1Option = None,
    parameter: Annotated[
        list[str] | None, typer.Option("--set", help="A rule parameter, NAME=VALUE; may be repeated.")
    ] = None,
    decision_ms: ClockOption = None,
    entropy: Annotated[str | None, typer.Option(help="Public entropy for the boards.")] = None,
    seed_file: SeedOption = None,
    name: NameOption = None,
    store: StoreOption = None,
    tables: Annotated[int, typer.Option(min=1, max=4096, help="Tables at a time, at most.")] = 64,
    connect_s: ConnectOption = CONNECT_S,
    listen: Annotated[str, typer.Option(help="HOST:PORT for bots; port 0: any.")] = "127.0.0.1:0",
    tls_cert: TlsCertOption = None,
    tls_key: TlsKeyOption = None,
    insecure: InsecureOption = False,
    json: JsonOption = False,
) -> None:
    """Plays a tournament here: server, bots, live standings, verified records.

    The same command with the same store goes on where it stopped.
    """
    from kiery.cli.run import Wishes, run_tournament

    wishes = Wishes(
        file=file,
        rules=rules,
        players=players,
        bots=tuple(bot or ()),
        deals=deals,
        target=target,
        deals_per_bot=deals_per_bot,
        sharing=sharing,
        schedule=schedule,
        format=format_,
        tables_budget=tables_budget,
        challengers=challengers,
        lineup=lineup,
        delta0=delta0,
        delta1=delta1,
        parameters=tuple(parameter or ()),
        decision_ms=decision_ms,
        entropy=entropy,
        name=name,
    )
    run_tournament(
        wishes,
        seed_file=seed_file,
        store_url=store,
        tables=tables,
        listen=_listen(listen, tls_cert, tls_key, insecure=insecure),
        connect_s=connect_s,
        as_json=json,
    )


def _listen(address: str, cert: Path | None, key: Path | None, *, insecure: bool) -> Any:  # noqa: ANN401
    # Any: a `Listen`, whose module is imported when a command runs.
    from kiery.cli.node import listen_on

    return listen_on(address, cert, key, insecure=insecure)


@app.command()
def match(
    bots: Annotated[list[str], typer.Argument(help="Built-in bots or commands, or NAME=… of either.")],
    *,
    rules: Annotated[str, typer.Option(help="Preset: what is played.")] = "hearts",
    deals: DealsOption = None,
    target: TargetOption = None,
    deals_per_bot: Annotated[
        int | None, typer.Option(help="Deals for each bot; for two bots at most, else at least.")
    ] = None,
    lineup: LineupOption = None,
    delta0: Delta0Option = None,
    delta1: Delta1Option = None,
    seed_file: SeedOption = None,
    name: NameOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Plays one table: the bots named meet in every arrangement of the seats.

    Two bots, A and B, sit as A A B B until a sequential test has told which is better. A bot from elsewhere
    that must not hold two seats plays with house bots: --lineup abhh.
    """
    from kiery.cli.node import Listen
    from kiery.cli.run import Wishes, named_bots, run_tournament, seats_for

    wishes = Wishes(
        rules=rules,
        players=seats_for(rules, len(bots)),
        bots=named_bots(bots),
        deals=deals,
        target=target,
        deals_per_bot=deals_per_bot,
        format="match" if len(bots) == 2 else None,
        lineup=lineup,
        delta0=delta0,
        delta1=delta1,
        name=name,
    )
    run_tournament(wishes, seed_file=seed_file, store_url=store, tables=64, listen=Listen(), as_json=json)


@app.command()
def serve(
    files: Annotated[
        list[Path] | None, typer.Argument(help="Tournament files (TOML) to add and play.", show_default=False)
    ] = None,
    *,
    store: StoreOption = None,
    listen: Annotated[str, typer.Option(help="HOST:PORT for bots.")] = "127.0.0.1:7400",
    tls_cert: TlsCertOption = None,
    tls_key: TlsKeyOption = None,
    insecure: InsecureOption = False,
    tables: Annotated[int, typer.Option(min=1, max=4096, help="Tables at a time, at most.")] = 256,
    connect_s: ConnectOption = CONNECT_S,
    once: Annotated[bool, typer.Option(help="Stop when every tournament is complete.")] = False,
) -> None:
    """Runs the server: bots dial in from elsewhere, and every tournament of the store is played."""
    from kiery.cli.serve import serve_forever

    serve_forever(
        files or [],
        store_url=store,
        listen=_listen(listen, tls_cert, tls_key, insecure=insecure),
        tables=tables,
        connect_s=connect_s,
        once=once,
    )


@app.command()
def play(
    target: Annotated[str, typer.Argument(metavar="MODULE:CLASS", help="Where the bot is.")],
    *,
    address: Annotated[
        str | None, typer.Option(envvar="KIERY_ADDRESS", help="HOST:PORT of the server.")
    ] = None,
    token: Annotated[str | None, typer.Option(envvar="KIERY_TOKEN", help="The bot's token.")] = None,
    ca: Annotated[Path | None, typer.Option(envvar="KIERY_CA", help="CA certificate, PEM.")] = None,
    insecure: InsecureOption = False,
    tables: Annotated[int, typer.Option(min=0, max=2000, help="Tables at a time; 0: as many as given.")] = 0,
) -> None:
    """Connects a Python bot to a server and plays until Ctrl-C."""
    from kiery.cli.play import play_bot

    play_bot(target, address=address, token=token, ca=ca, insecure=insecure, tables=tables)


@app.command()
def bench(
    *,
    only: Annotated[
        list[str] | None,
        typer.Option(help="A figure, or what its name begins with; may be repeated.", show_default="all"),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="The main figures in under a minute.")] = False,
    rounds: Annotated[
        int | None, typer.Option(min=1, help="Rounds of each.", show_default="5; quick: 3")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Write the curves to this PNG file.")] = None,
    loop: Annotated[str, typer.Option(help="Event loop: asyncio or uvloop.")] = "asyncio",
    json: JsonOption = False,
) -> None:
    """Measures this server's speed on this machine, each figure beside its floor."""
    from kiery.cli.bench import bench_here

    bench_here(only or [], quick=quick, rounds=rounds, loop=loop, plot=plot, as_json=json)


@bot_app.command("add")
def bot_add(
    name: Annotated[str, typer.Argument(help="Whose token it is.")],
    *,
    role: Annotated[str, typer.Option(help="bot, organiser or spectator.")] = "bot",
    store: StoreOption = None,
) -> None:
    """Makes a token and prints it once."""
    from kiery.cli.bots import add_bot

    add_bot(name, role, store)


@bot_app.command("list")
def bot_list(*, store: StoreOption = None, json: JsonOption = False) -> None:
    """Lists tokens, never their secrets."""
    from kiery.cli.bots import list_bots

    list_bots(store, as_json=json)


@bot_app.command("revoke")
def bot_revoke(
    token: Annotated[str, typer.Argument(help="The bearer's name, or the token's id.")],
    *,
    store: StoreOption = None,
) -> None:
    """Revokes a token."""
    from kiery.cli.bots import revoke_bot

    revoke_bot(token, store)


@replay_app.command("list")
def replay_list(
    tournament: Annotated[str | None, typer.Argument(help="Only this tournament.")] = None,
    *,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Lists the recorded matches."""
    from kiery.cli.replays import list_replays

    list_replays(tournament, store, as_json=json)


@replay_app.command("show")
def replay_show(
    replay: Annotated[str, typer.Argument(help="TOURNAMENT/FIXTURE, or TOURNAMENT/FIXTURE.ATTEMPT.")],
    *,
    store: StoreOption = None,
) -> None:
    """Shows a match, deal by deal and trick by trick."""
    from kiery.cli.replays import show_replay

    show_replay(replay, store)


@replay_app.command("verify")
def replay_verify(
    replays: Annotated[
        list[str] | None, typer.Argument(help="TOURNAMENT or TOURNAMENT/FIXTURE; all without any.")
    ] = None,
    *,
    transcript: Annotated[
        Path | None, typer.Option(help="Verify a file of transcripts instead; - for standard input.")
    ] = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Plays records again and checks every card, point and hash; exit 1 where one does not verify."""
    from kiery.cli.verify import verify_replays, verify_transcripts

    if transcript is not None:
        verify_transcripts(transcript, as_json=json)
    else:
        verify_replays(replays or [], store, as_json=json)


@replay_app.command("export")
def replay_export(
    replays: Annotated[
        list[str] | None, typer.Argument(help="TOURNAMENT or TOURNAMENT/FIXTURE; all without any.")
    ] = None,
    *,
    format_: Annotated[str, typer.Option("--format", help="transcript, text or record.")] = "transcript",
    out: Annotated[Path | None, typer.Option(help="A file; without it standard output.")] = None,
    store: StoreOption = None,
) -> None:
    """Writes records for others to read: one JSON object a line, readable text, or protobuf."""
    from kiery.cli.export import export_replays

    export_replays(replays or [], format_, out, store)
