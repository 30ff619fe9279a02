"""The amendments of tournaments: late entries and withdrawals, in their order."""

from collections.abc import Callable
from contextlib import AbstractContextManager

from sqlalchemy import Connection, func, select

from kiery.store.errors import StoreError
from kiery.store.schema import AMENDMENT, TOURNAMENT
from kiery.store.values import StoredAmendment, TournamentStatus

__all__ = ["AmendmentTable"]


class AmendmentTable:
    """The amendments in a store."""

    def __init__(
        self,
        transaction: Callable[[], AbstractContextManager[Connection]],
        tournament_id: Callable[[Connection, str], int],
    ) -> None:
        """Keeps how the store begins a transaction and finds a tournament."""
        self._transaction = transaction
        self._tournament_id = tournament_id

    def add(self, tournament: str, *, number: int, amendment: str, digest: bytes, created_ms: int) -> None:
        """Stores the next amendment of a tournament that is not over.

        Args:
            tournament: Its name.
            number: One more than the last.
            amendment: As JSON text.
            digest: Of it and all before it, 32 bytes.
            created_ms: Milliseconds since 1970 UTC.

        Raises:
            UnknownTournamentError: None has the name.
            StoreError: It is over, or the number is not the next.
        """
        with self._transaction() as connection:
            tournament_id = self._tournament_id(connection, tournament)
            query = select(TOURNAMENT.c.status).where(TOURNAMENT.c.id == tournament_id)
            status = TournamentStatus(connection.execute(query).scalar_one())
            if status.is_over:
                raise StoreError(f"the tournament {tournament} is {status}: nobody enters or leaves it")
            count = select(func.count()).where(AMENDMENT.c.tournament_id == tournament_id)
            there = connection.execute(count).scalar_one()
            if number != there + 1:
                raise StoreError(f"{tournament} has {there} amendments: expected number {there + 1}")
            connection.execute(
                AMENDMENT.insert().values(
                    tournament_id=tournament_id,
                    number=number,
                    amendment=amendment,
                    digest=digest,
                    created_ms=created_ms,
                )
            )

    def of(self, tournament: str) -> list[StoredAmendment]:
        """Returns the amendments of a tournament in their order.

        Raises:
            UnknownTournamentError: None has the name.
        """
        columns = [column for column in AMENDMENT.columns if column.name != "tournament_id"]
        with self._transaction() as connection:
            query = (
                select(*columns)
                .where(AMENDMENT.c.tournament_id == self._tournament_id(connection, tournament))
                .order_by(AMENDMENT.c.number)
            )
            rows = connection.execute(query).mappings().all()
        return [StoredAmendment(**row) for row in rows]
