"""`python -m kiery_bots NAME`: plays with an example bot. Address and token come from the environment."""

import argparse

from kiery_bots.builtin import BOTS, from_environment
from kiery_client import Bot, run

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> None:
    """Plays until it is stopped.

    Args:
        arguments: The command line without the program's name; none: that of the process.
    """
    parser = argparse.ArgumentParser(
        prog="kiery_bots",
        description="Plays with an example bot. KIERY_ADDRESS, KIERY_TOKEN and KIERY_CA say where.",
    )
    parser.add_argument("bot", choices=[*BOTS, "human"])
    parser.add_argument("--address", help="host:port of the server; else KIERY_ADDRESS")
    parser.add_argument("--token", help="better KIERY_TOKEN: a command line can be read by others")
    parser.add_argument("--ca", help="a PEM file to check the server's certificate with; else KIERY_CA")
    parser.add_argument("--insecure", action="store_true", help="dial another machine without TLS")
    parser.add_argument("--max-tables", type=int, default=0, help="tables at a time; 0: the server's default")
    chosen = parser.parse_args(arguments)
    bot, most = _bot(chosen.bot, chosen.max_tables)
    run(
        bot,
        chosen.address,
        chosen.token,
        ca=chosen.ca,
        insecure=chosen.insecure,
        max_tables=most,
    )


def _bot(name: str, max_tables: int) -> tuple[Bot, int]:
    """Returns the bot and its tables at a time: one for a person."""
    if name != "human":
        return from_environment(name), max_tables
    from kiery_bots.human import Human  # noqa: PLC0415  # launched bots start quicker without it

    return Human(), 1


if __name__ == "__main__":
    main()
