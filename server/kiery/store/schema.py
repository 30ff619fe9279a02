"""The tables. Everything else about a tournament is derived from them, and nothing derived is stored.

A change here needs a migration in `migrations/versions`, and its number in `HEAD`.
"""

from typing import Final

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    text,
)

__all__ = ["AMENDMENT", "APPLICATION_ID", "ATTEMPT", "HEAD", "METADATA", "TOKEN", "TOURNAMENT"]

HEAD: Final = "0002"
"""The newest migration."""

APPLICATION_ID: Final = 0x4B696572
"""Marks the file as ours (`Kier`): SQLite's `application_id`."""

# Named, so that a later migration can name what it changes.
METADATA: Final = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

TOURNAMENT: Final = Table(
    "tournament",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("spec", Text, nullable=False),
    Column("spec_digest", LargeBinary, nullable=False),
    Column("secret", LargeBinary, nullable=False),
    Column("entropy", LargeBinary, nullable=False),
    Column("commitment", LargeBinary, nullable=False),
    Column("status", Text, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("finished_ms", BigInteger),
)
"""A tournament: its spec as JSON text, and the secret S of its boards."""

ATTEMPT: Final = Table(
    "attempt",
    METADATA,
    Column("tournament_id", ForeignKey("tournament.id"), primary_key=True),
    Column("fixture", Integer, primary_key=True, autoincrement=False),
    Column("attempt", Integer, primary_key=True, autoincrement=False),
    Column("epoch", Integer, nullable=False),
    Column("status", Text, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("deal_count", Integer, nullable=False),
    Column("record", LargeBinary, nullable=False),
)
"""One try at a fixture with its record; empty for one that was lost before it could be recorded."""

AMENDMENT: Final = Table(
    "amendment",
    METADATA,
    Column("tournament_id", ForeignKey("tournament.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("amendment", Text, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
)
"""A change of a tournament's field as JSON text, and the digest of it and all before it."""

TOKEN: Final = Table(
    "token",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("hash", LargeBinary, nullable=False, unique=True),
    Column("created_ms", BigInteger, nullable=False),
    Column("revoked_ms", BigInteger),
)
"""A token, as the SHA-256 of its secret."""

Index("uq_token_live_name", TOKEN.c.name, unique=True, sqlite_where=text("revoked_ms IS NULL"))
