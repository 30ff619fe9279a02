"""Why a bot's program stops, as exceptions.

What passes by itself raises nothing: a lost stream, a full server.

Branch on the class, or on `reason`: for refusals it is the server's own word, the trailing metadata
`kiery-reason`.
"""

from collections.abc import Mapping

import grpc

from kiery.errors import InputError, KieryError

__all__ = [
    "AddressError",
    "BotError",
    "GarbledError",
    "GaveUpError",
    "HelloError",
    "RefusedError",
    "ReplacedError",
    "RevisionError",
    "RoleError",
    "StaleError",
    "StrikesError",
    "TokenError",
    "refusal",
]


class AddressError(InputError):
    """No address, token or certificate, or one that cannot be used."""

    reason = "ADDRESS"


class BotError(InputError):
    """What was given to `run` is no bot: it lacks a method."""

    reason = "BOT"


class GaveUpError(KieryError):
    """The server could not be reached for as long as `give_up_after` says."""

    reason = "GAVE_UP"


class GarbledError(KieryError):
    """The server's messages cannot be decoded, again and again."""

    reason = "GARBLED"


class RefusedError(KieryError):
    """The server ended the stream for a reason that trying again does not mend."""

    reason = "REFUSED"


class TokenError(RefusedError):
    """The token is missing, unknown or revoked."""

    reason = "TOKEN"


class RoleError(RefusedError):
    """The token is not a bot's."""

    reason = "ROLE"


class RevisionError(RefusedError):
    """Server and kit share no revision of the protocol; `metadata` has the server's `min` and `max`."""

    reason = "REVISION"


class HelloError(RefusedError):
    """The server did not take the greeting: a setting is out of range."""

    reason = "HELLO_INVALID"


class ReplacedError(RefusedError):
    """A newer stream holds this token: two processes share it. Trying again would throw the other one out."""

    reason = "SESSION_REPLACED"


class StaleError(RefusedError):
    """A newer session of this token exists, so this one cannot be resumed."""

    reason = "SESSION_STALE"


class StrikesError(RefusedError):
    """The server got three messages that it could not use."""

    reason = "STRIKES"


_BY_REASON: Mapping[str, tuple[type[RefusedError], str]] = {
    "TOKEN": (TokenError, "the token is missing, unknown or revoked: ask the organiser for a new one"),
    "ROLE": (RoleError, "the token is not a bot's: ask the organiser for one with role bot"),
    "TICKET": (RefusedError, "the ticket is used, expired or meant for another node"),
    "REVISION": (RevisionError, "the server speaks another revision of the protocol: update kiery"),
    "HELLO_EXPECTED": (HelloError, "the greeting came too late or not at all"),
    "HELLO_INVALID": (HelloError, "the server did not take a setting of the greeting"),
    "SESSION_REPLACED": (
        ReplacedError,
        "another process has taken the seats with the same token: give each process a token of its own",
    ),
    "SESSION_STALE": (
        StaleError,
        "another process has connected with the same token since: give each process a token of its own",
    ),
    "STRIKES": (StrikesError, "the server got too many messages that it could not use"),
}

_RETRIED_REASONS = frozenset({"WRITE_TIMEOUT", "HEARTBEAT_TIMEOUT", "SHUTDOWN", "FULL", "INTERNAL"})
_RETRIED_CODES = frozenset(
    {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.ABORTED}
)


def refusal(
    *, reason: str, code: grpc.StatusCode, details: str, revisions: tuple[str, str], greeted: bool
) -> RefusedError | None:
    """Returns the error that the end of a stream means, or none when it should be tried again.

    Args:
        reason: The metadata `kiery-reason`; empty if there was none.
        code: The status.
        details: The text of the status, for people.
        revisions: The metadata `kiery-min-revision` and `kiery-max-revision`; empty texts if there was none.
        greeted: Whether the server has ever answered a greeting of this process.

    Source: proto/README.md, "How a stream ends".
    """
    if reason in _RETRIED_REASONS:
        return None
    if reason in _BY_REASON:
        kind, text = _BY_REASON[reason]
        lowest, highest = revisions
        facts = {"min": lowest, "max": highest} if lowest or highest else {}
        tail = f" ({details})" if details and details != text else ""
        return kind(text + tail, kiery_reason=reason, status=code.name, **facts)
    if reason:
        if code in _RETRIED_CODES:
            return None
        return RefusedError(
            f"the server ended the stream with {reason} ({code.name}): {details}",
            kiery_reason=reason,
            status=code.name,
        )
    if code is grpc.StatusCode.UNIMPLEMENTED and not greeted:
        return RefusedError(
            "the server at this address does not speak the kiery protocol", kiery_reason="", status=code.name
        )
    # The network, a proxy or the library ended it.
    return None
