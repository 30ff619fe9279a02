"""Opens the SQLite file of a store: checks what it is, sets it up, brings its tables up to date.

Durability: WAL with `synchronous=FULL`, so that a committed match survives a power cut
(SQLite, "PRAGMA synchronous"); both settings are read back, since some file systems refuse WAL.
"""

import logging
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import ConnectionPoolEntry, QueuePool

from kiery.store.errors import (
    ForeignFileError,
    SchemaError,
    StoreError,
    StoreInUseError,
    StoreMissingError,
    StoreReadOnlyError,
)
from kiery.store.schema import APPLICATION_ID, HEAD

__all__ = ["open_database", "translated"]

logger = logging.getLogger(__name__)

_BUSY_MS: Final = 10_000
_SYNCHRONOUS_FULL: Final = 2


def open_database(path: Path, *, read_only: bool) -> tuple[Engine, bool]:
    """Opens the file, making it (mode 0600) or migrating it when it may be written to.

    Returns:
        The engine, and whether the store was made just now.

    Raises:
        StoreError: The file cannot be used; says why and what to do.
    """
    _check_file(path, read_only=read_only)
    if not read_only:
        # SQLite gives its own files beside it the same mode.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    engine = _engine(path, read_only=read_only)
    try:
        with translated(path), engine.begin() as connection:
            version = _version(connection)
            if version == HEAD:
                return engine, False
            if read_only:
                raise SchemaError(
                    f"{path} has tables of version {version or 'none'}, this program has {HEAD}:"
                    " open it once with a command that writes, such as kiery run"
                )
            _migrate(path, connection, version)
    except StoreError:
        engine.dispose()
        raise
    return engine, version is None


def _check_file(path: Path, *, read_only: bool) -> None:
    folder = path.parent
    if path.is_dir():
        raise ForeignFileError(f"{path} is a folder: expected a file")
    if not path.exists():
        if read_only:
            raise StoreMissingError(f"there is no store {path}: check the name given with --store")
        if not folder.is_dir():
            raise StoreMissingError(f"the folder {folder} does not exist: make it first")
        if not os.access(folder, os.W_OK):
            raise StoreReadOnlyError(f"the folder {folder} may not be written to: name another with --store")
    elif not os.access(path, os.R_OK):
        raise StoreReadOnlyError(f"{path} may not be read: check its permissions")
    elif not read_only and not (os.access(path, os.W_OK) and os.access(folder, os.W_OK)):
        raise StoreReadOnlyError(f"{path} may not be written to: check the permissions of it and its folder")


def _engine(path: Path, *, read_only: bool) -> Engine:
    mode = "mode=rw"
    if read_only:
        mode = "mode=ro"
        log = path.with_name(f"{path.name}-wal")
        if not os.access(path.parent, os.W_OK) and not log.exists():
            # On a medium that cannot be written to, nobody can change the file behind our back.
            mode = "mode=ro&immutable=1"
    address = f"file:{quote(str(path.absolute()))}?{mode}"
    engine = create_engine(
        "sqlite://",
        creator=lambda: sqlite3.connect(
            address, uri=True, timeout=_BUSY_MS / 1000, isolation_level=None, check_same_thread=False
        ),
        # The address names no file to SQLAlchemy, which would take the store for one in memory.
        poolclass=QueuePool,
        # Parameters hold the secret; no error or log may show them.
        hide_parameters=True,
    )

    @event.listens_for(engine, "connect")
    def set_up(connection: sqlite3.Connection, _: ConnectionPoolEntry) -> None:
        # Before anything is set: the mode of the journal is written into the file.
        _check_owner(path, connection)
        connection.execute("PRAGMA foreign_keys = ON")
        if not read_only:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            _assert_durable(path, connection)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # At once, so that a transaction that reads first and writes then cannot fail half-way.
        connection.exec_driver_sql("BEGIN" if read_only else "BEGIN IMMEDIATE")

    return engine


def _assert_durable(path: Path, connection: sqlite3.Connection) -> None:
    (journal,) = connection.execute("PRAGMA journal_mode").fetchone()
    (synchronous,) = connection.execute("PRAGMA synchronous").fetchone()
    if journal != "wal" or synchronous != _SYNCHRONOUS_FULL:
        raise StoreError(
            f"{path} cannot be written to safely (journal_mode {journal}, synchronous {synchronous}):"
            " put it on a local disk"
        )


def _check_owner(path: Path, connection: sqlite3.Connection) -> None:
    """Refuses a database that another program made, and leaves it as it is."""
    (owner,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if tables and owner != APPLICATION_ID:
        raise ForeignFileError(f"{path} is a database of another program: name another file with --store")


def _version(connection: Connection) -> str | None:
    tables = "SELECT count(*) FROM sqlite_master WHERE name = 'alembic_version'"
    if not connection.exec_driver_sql(tables).scalar_one():
        return None
    return connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()


def _migrate(path: Path, connection: Connection, version: str | None) -> None:
    # Alembic takes a third of a second to import, and an open store of today needs none of it.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", "kiery.store:migrations")
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if version is not None and version not in known:
        raise SchemaError(
            f"{path} has tables of version {version}, this program knows up to {HEAD}: use a newer kiery"
        )
    connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
    command.upgrade(config, "head")
    logger.info("store is up to date", extra={"store": path.name, "was": version, "now": HEAD})


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turns what SQLite says about a file into what a person can do about it."""
    try:
        yield
    except DBAPIError as error:
        raise _translation(path, error.orig) from None
    except sqlite3.Error as error:
        raise _translation(path, error) from None


def _translation(path: Path, error: BaseException | None) -> StoreError:
    text = str(error)
    if "not a database" in text:
        return ForeignFileError(f"{path} is not a database: name another file with --store")
    if "malformed" in text:
        return ForeignFileError(f"{path} is damaged ({text}): restore it from a copy")
    if "readonly" in text or "read-only" in text:
        return StoreReadOnlyError(f"{path} may not be written to: check the permissions of it and its folder")
    if "locked" in text or "busy" in text:
        return StoreInUseError(f"{path} is in use by another process: try again, or stop it")
    if "unable to open" in text:
        return StoreMissingError(f"{path} cannot be opened: check the name given with --store")
    return StoreError(f"{path}: {text}")
