"""Which role may call which method. What the table does not name, nobody may call.

A test compares it with the services of the schema, so a new method cannot be forgotten.
Methods are named as gRPC names them, without the leading slash: `kiery.v1.PlayService/Play`.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from kiery.access.roles import Role

__all__ = ["METHODS", "may_call"]

_ORGANISERS: Final = frozenset({Role.ORGANISER})
_WATCHERS: Final = frozenset({Role.ORGANISER, Role.SPECTATOR})
_ALL: Final = frozenset(Role)

_BY_SERVICE: Final = {
    "PlayService": {"Play": frozenset({Role.BOT})},
    "TournamentService": dict.fromkeys(
        (
            "CreateTournament",
            "GetTournament",
            "ListTournaments",
            "StartTournament",
            "PauseTournament",
            "ResumeTournament",
            "CancelTournament",
            "VoidFixture",
            "AddEntrant",
            "WithdrawEntrant",
            "WatchStandings",
        ),
        _ORGANISERS,
    ),
    "AccessService": dict.fromkeys(("AddToken", "ListTokens", "RevokeToken"), _ORGANISERS),
    "ReplayService": dict.fromkeys(("ListReplays", "GetReplay", "DownloadReplays"), _ALL),
    "WatchService": dict.fromkeys(("ListTables", "FollowTables", "FollowStandings"), _WATCHERS),
}

METHODS: Final[Mapping[str, frozenset[Role]]] = MappingProxyType(
    {
        f"kiery.v1.{service}/{method}": roles
        for service, methods in _BY_SERVICE.items()
        for method, roles in methods.items()
    }
)
"""The roles of every method."""


def may_call(role: Role, method: str) -> bool:
    """Tells whether a role may call a method, named with or without the leading slash."""
    return role in METHODS.get(method.removeprefix("/"), frozenset())
