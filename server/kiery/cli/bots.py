"""`kiery bot`: tokens."""

from kiery.access import NewToken, Role, TokenBook
from kiery.cli.console import print_json, print_table, say
from kiery.cli.stores import open_store
from kiery.errors import InputError
from kiery.host import Clock
from kiery.store import Store

__all__ = ["add_bot", "announce_first", "list_bots", "revoke_bot"]


def now_ms() -> int:
    """Returns the date and time, milliseconds since 1970 UTC."""
    return int(Clock().today().timestamp() * 1000)


def announce_first(first: NewToken | None) -> None:
    """Shows the organiser's token of a store that was just made; it cannot be shown again."""
    if first is not None:
        say(f"organiser token, shown once: {first.secret}")


def _book(store: Store) -> TokenBook:
    book, first = TokenBook.of_store(store, now_ms=now_ms())
    announce_first(first)
    return book


def add_bot(name: str, role: str, store_url: str | None) -> None:
    """Makes a token and prints it."""
    if role.upper() not in Role.__members__:
        words = ", ".join(member.word for member in Role)
        raise InputError(f"{role[:32]!a} is no role: expected one of {words}")
    with open_store(store_url) as store:
        token = _book(store).add(name, Role[role.upper()], now_ms=now_ms())
    say(f"token of {name} ({role}), shown once:")
    say(token.secret)
    say("give it to the bot as KIERY_TOKEN, the server's HOST:PORT as KIERY_ADDRESS")


def list_bots(store_url: str | None, *, as_json: bool) -> None:
    """Prints all tokens without their secrets."""
    with open_store(store_url, read_only=True) as store:
        tokens = TokenBook(store.tokens).tokens()
    rows = [
        {
            "id": token.token_id,
            "name": token.name,
            "role": token.role,
            "state": "live" if token.revoked_ms is None else "revoked",
        }
        for token in tokens
    ]
    if as_json:
        print_json(rows)
    else:
        print_table(
            "tokens",
            ("name", "role", "state", "id"),
            [[row[key] for key in ("name", "role", "state", "id")] for row in rows],
        )


def revoke_bot(token: str, store_url: str | None) -> None:
    """Revokes a token."""
    with open_store(store_url) as store:
        identity = _book(store).revoke(token, now_ms=now_ms())
    say(f"revoked the token of {identity.name}")
