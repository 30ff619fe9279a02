"""The tokens in force.

A token is the text `kiery.<id>.<256 random bits>`, told once and stored as its SHA-256. The id finds the
row, the rest proves it; a slow password hash would add nothing, since nobody guesses 256 bits.
"""

import hashlib
import hmac
import secrets
import threading
from dataclasses import dataclass
from typing import Final

from kiery.access.roles import Role
from kiery.errors import InputError, KieryError
from kiery.store import Store, StoredToken, TokenTable

__all__ = ["AccessError", "Identity", "NewToken", "TokenBook", "TokenNameError", "UnknownTokenError"]

_SECRET_BYTES: Final = 32
_ID_BYTES: Final = 8
_NAME_LENGTH: Final = 64
_FIRST_ORGANISER: Final = "organiser"
# A scanner that looks for leaked secrets can recognise it, and so can a person.
_PREFIX: Final = "kiery"
# Compared with where there is no such token, so that both take the same time.
_NO_HASH: Final = bytes(32)


class AccessError(KieryError):
    """No valid token. The same words whether it is unknown, revoked or missing."""

    reason = "UNAUTHENTICATED"


class TokenNameError(InputError):
    """A name that a new token cannot have."""

    reason = "TOKEN_NAME"


class UnknownTokenError(InputError):
    """No live token has that name or id, or it is the last one that can give out others."""

    reason = "UNKNOWN_TOKEN"


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who a token says its bearer is."""

    token_id: str
    """The token's lasting name, without meaning."""
    name: str
    """Whose it is: for a bot the bot's name."""
    role: Role
    """What it may do."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class NewToken:
    """A token just made; the only place where its secret is ever shown. Not in `repr`."""

    identity: Identity
    """Who bears it."""
    secret: str
    """What the bearer sends: `authorization: Bearer <secret>`."""


class TokenBook:
    """All tokens of a server: those in its store, and those it gives to the bots it launches.

    Safe to use from several threads.
    """

    def __init__(self, table: TokenTable | None = None) -> None:
        """Reads the live tokens.

        Args:
            table: Where tokens are kept; none: in memory only.
        """
        self._table = table
        self._lock = threading.Lock()
        self._live: dict[str, tuple[bytes, Identity]] = {}
        self._made: dict[str, StoredToken] = {}
        if table is not None:
            for hashed, token in table.live_hashes():
                self._live[token.token_id] = (hashed, _identity(token))

    @classmethod
    def of_store(cls, store: Store, *, now_ms: int) -> tuple["TokenBook", NewToken | None]:
        """Returns the tokens of a store, and the first organiser's if the store was made just now.

        Args:
            store: An open store that may be written to.
            now_ms: Milliseconds since 1970 UTC.
        """
        book = cls(store.tokens)
        first = None
        if store.created:
            first = book.add(_FIRST_ORGANISER, Role.ORGANISER, now_ms=now_ms)
        return book, first

    def add(self, name: str, role: Role, *, now_ms: int, kept: bool = True) -> NewToken:
        """Makes a token.

        Args:
            name: Whose it is, 1 to 64 characters without control characters; unique among live tokens.
            role: What it may do.
            now_ms: Milliseconds since 1970 UTC.
            kept: Whether it is stored; a launched bot's own token lives as long as this object.

        Raises:
            TokenNameError: The name is taken or malformed.
        """
        if not 0 < len(name) <= _NAME_LENGTH or not name.isprintable() or name.strip() != name:
            raise TokenNameError(
                f"{name[:_NAME_LENGTH]!a} cannot name a token:"
                f" expected 1 to {_NAME_LENGTH} printable characters, no blank at either end"
            )
        token_id = secrets.token_hex(_ID_BYTES)
        secret = f"{_PREFIX}.{token_id}.{secrets.token_urlsafe(_SECRET_BYTES)}"
        token = StoredToken(
            token_id=token_id,
            name=name,
            role=role.word,
            created_ms=now_ms,
            revoked_ms=None,
        )
        hashed = _hash(secret)
        with self._lock:
            taken = any(identity.name == name for _, identity in self._live.values())
            if taken or not self._keep(token, hashed, kept=kept):
                raise TokenNameError(
                    f"a token of {name} is live already: revoke it first, or take another name"
                )
            self._live[token_id] = (hashed, _identity(token))
        return NewToken(identity=_identity(token), secret=secret)

    def _keep(self, token: StoredToken, hashed: bytes, *, kept: bool) -> bool:
        if kept and self._table is not None:
            return self._table.add(token, hashed)
        self._made[token.token_id] = token
        return True

    def tokens(self) -> list[StoredToken]:
        """Returns all tokens by name, revoked ones included, never their secrets."""
        with self._lock:
            stored = self._table.all() if self._table is not None else []
            return sorted([*stored, *self._made.values()], key=lambda token: (token.name, token.created_ms))

    def revoke(self, token: str, *, now_ms: int) -> Identity:
        """Revokes a live token at once; whoever holds its streams ends them.

        Args:
            token: Its id, or its bearer's name.
            now_ms: Milliseconds since 1970 UTC.

        Returns:
            Whose it was.

        Raises:
            UnknownTokenError: There is none, or it is the last of role organiser.
        """
        with self._lock:
            identity = self._find(token)
            if identity.role is Role.ORGANISER and self._organisers() == 1:
                raise UnknownTokenError(
                    f"{identity.name} has the last organiser's token: add another before you revoke it"
                )
            del self._live[identity.token_id]
            made = self._made.get(identity.token_id)
            if made is not None:
                self._made[identity.token_id] = _revoked(made, now_ms)
            elif self._table is not None:
                self._table.revoke(identity.token_id, now_ms=now_ms)
        return identity

    def _find(self, token: str) -> Identity:
        # An id outranks a name that looks like it.
        if token in self._live:
            return self._live[token][1]
        for _, identity in self._live.values():
            if identity.name == token:
                return identity
        raise UnknownTokenError(f"no live token is called {token[:_NAME_LENGTH]!a}")

    def _organisers(self) -> int:
        return sum(identity.role is Role.ORGANISER for _, identity in self._live.values())

    def authenticate(self, secret: str) -> Identity:
        """Returns who bears a token.

        Raises:
            AccessError: It is unknown, revoked or empty; nothing tells which.
        """
        token_id = secret.split(".")[1] if secret.count(".") == 2 else ""
        with self._lock:
            hashed, identity = self._live.get(token_id, (_NO_HASH, None))
        if not hmac.compare_digest(hashed, _hash(secret)) or identity is None:
            raise AccessError("no valid token: expected one made by `kiery bot add`, in KIERY_TOKEN")
        return identity


def _hash(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def _identity(token: StoredToken) -> Identity:
    return Identity(token_id=token.token_id, name=token.name, role=Role[token.role.upper()])


def _revoked(token: StoredToken, now_ms: int) -> StoredToken:
    return StoredToken(
        token_id=token.token_id,
        name=token.name,
        role=token.role,
        created_ms=token.created_ms,
        revoked_ms=now_ms,
    )
