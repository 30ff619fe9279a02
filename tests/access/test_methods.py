"""The table of roles and methods covers the schema exactly."""

from importlib import import_module, resources

import pytest

from kiery.access import Role, may_call
from kiery.access.methods import METHODS
from kiery.v1 import access_pb2


def schema_methods():
    """Returns every method of every service in the generated modules."""
    names = [
        name.removesuffix(".py")
        for file in resources.files("kiery.v1").iterdir()
        if (name := file.name).endswith("_pb2.py")
    ]
    return {
        f"{service.full_name}/{method.name}"
        for name in names
        for service in import_module(f"kiery.v1.{name}").DESCRIPTOR.services_by_name.values()
        for method in service.methods
    }


def test_every_method_of_every_service_has_an_entry_and_no_other():
    assert set(METHODS) == schema_methods()
    assert len(METHODS) > 15


def test_the_roles_are_those_of_the_schema():
    in_schema = {f"ROLE_{role.name}": int(role) for role in Role}

    assert in_schema == {name: number for name, number in access_pb2.Role.items() if number}


@pytest.mark.parametrize(
    ("role", "method", "allowed"),
    [
        (Role.BOT, "PlayService/Play", True),
        (Role.ORGANISER, "PlayService/Play", False),
        (Role.SPECTATOR, "PlayService/Play", False),
        (Role.BOT, "TournamentService/CreateTournament", False),
        (Role.ORGANISER, "TournamentService/CreateTournament", True),
        (Role.SPECTATOR, "AccessService/AddToken", False),
        (Role.BOT, "WatchService/FollowTables", False),
        (Role.SPECTATOR, "WatchService/FollowTables", True),
        (Role.BOT, "ReplayService/GetReplay", True),
    ],
)
def test_a_role_may_call_what_the_table_says(role, method, allowed):
    assert may_call(role, f"/kiery.v1.{method}") is allowed
    assert may_call(role, f"kiery.v1.{method}") is allowed


@pytest.mark.parametrize(
    "method", ["", "/", "kiery.v1.PlayService/Cheat", "kiery.v2.PlayService/Play", "Play"]
)
def test_what_the_table_does_not_name_is_denied(method):
    assert not any(may_call(role, method) for role in Role)
