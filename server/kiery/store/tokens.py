"""The table of tokens. What a token is and may do is `access`'s affair; here are rows."""

from collections.abc import Callable
from contextlib import AbstractContextManager

from sqlalchemy import Connection, select, update

from kiery.store.schema import TOKEN
from kiery.store.values import StoredToken

__all__ = ["TokenTable"]

_SHOWN = (TOKEN.c.id.label("token_id"), TOKEN.c.name, TOKEN.c.role, TOKEN.c.created_ms, TOKEN.c.revoked_ms)


class TokenTable:
    """The tokens of a store; its secrets are only there as hashes."""

    def __init__(self, transaction: Callable[[], AbstractContextManager[Connection]]) -> None:
        """Uses the store's transactions."""
        self._transaction = transaction

    def add(self, token: StoredToken, hashed: bytes) -> bool:
        """Stores a token with the hash of its secret; returns false when a live one has the name."""
        with self._transaction() as connection:
            live = (TOKEN.c.name == token.name) & TOKEN.c.revoked_ms.is_(None)
            if connection.execute(select(TOKEN.c.id).where(live)).first():
                return False
            connection.execute(
                TOKEN.insert().values(
                    id=token.token_id,
                    name=token.name,
                    role=token.role,
                    hash=hashed,
                    created_ms=token.created_ms,
                    revoked_ms=token.revoked_ms,
                )
            )
        return True

    def all(self) -> list[StoredToken]:
        """Returns all tokens, revoked ones included, by name and age."""
        query = select(*_SHOWN).order_by(TOKEN.c.name, TOKEN.c.created_ms, TOKEN.c.id)
        with self._transaction() as connection:
            return [StoredToken(**row) for row in connection.execute(query).mappings()]

    def live_hashes(self) -> list[tuple[bytes, StoredToken]]:
        """Returns every live token with the hash of its secret."""
        query = select(TOKEN.c.hash, *_SHOWN).where(TOKEN.c.revoked_ms.is_(None))
        with self._transaction() as connection:
            rows = connection.execute(query).mappings().all()
        return [
            (row["hash"], StoredToken(**{name: value for name, value in row.items() if name != "hash"}))
            for row in rows
        ]

    def revoke(self, token_id: str, *, now_ms: int) -> bool:
        """Revokes a live token; returns false when there is none with that id."""
        with self._transaction() as connection:
            changed = connection.execute(
                update(TOKEN)
                .where(TOKEN.c.id == token_id, TOKEN.c.revoked_ms.is_(None))
                .values(revoked_ms=now_ms)
            )
        return bool(changed.rowcount)
