"""As much HTTP/2 as a gRPC stream needs that is opened once and then hardly speaks: frames as bytes.

Bots that wait in the lobby are many and do nothing, so their client must cost next to nothing. Source:
RFC 9113 (frames), RFC 7541 (headers without Huffman coding or a dynamic table), the gRPC wire format.
"""

from collections.abc import Iterator
from typing import Final

__all__ = [
    "ACK",
    "DATA",
    "GOAWAY",
    "PING",
    "RST_STREAM",
    "SETTINGS",
    "frame",
    "message_frame",
    "opening",
    "take_frames",
]

DATA: Final = 0
HEADERS: Final = 1
RST_STREAM: Final = 3
SETTINGS: Final = 4
PING: Final = 6
GOAWAY: Final = 7

ACK: Final = 1
_END_HEADERS: Final = 4
_HEAD: Final = 9
_STREAM: Final = 1
_PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
# Entries of HPACK's static table.
_POST: Final = b"\x83"
_HTTP: Final = b"\x86"
_PATH: Final = b"\x04"
_AUTHORITY: Final = b"\x01"
_CONTENT_TYPE: Final = b"\x0f\x10"
_AUTHORIZATION: Final = b"\x0f\x08"
_NEW_NAME: Final = b"\x00"


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    """Returns a frame."""
    return len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + payload


def message_frame(message: bytes) -> bytes:
    """Returns a frame that carries one gRPC message, not compressed."""
    return frame(DATA, 0, _STREAM, b"\0" + len(message).to_bytes(4, "big") + message)


def _text(text: str) -> bytes:
    data = text.encode()
    # One byte of length: seven bits without a continuation.
    if len(data) >= 0x7F:
        raise ValueError(f"a header of {len(data)} bytes: expected at most 126")
    return bytes((len(data),)) + data


def opening(method: str, token: str, first: bytes) -> bytes:
    """Returns all that opens a connection with one call on it.

    Args:
        method: The path of the method.
        token: The bearer token.
        first: The first message.
    """
    headers = b"".join(
        (
            _POST,
            _HTTP,
            _PATH + _text(method),
            _AUTHORITY + _text("127.0.0.1"),
            _CONTENT_TYPE + _text("application/grpc"),
            _NEW_NAME + _text("te") + _text("trailers"),
            _AUTHORIZATION + _text(f"Bearer {token}"),
        )
    )
    settings = frame(SETTINGS, 0, 0, b"")
    return _PREFACE + settings + frame(HEADERS, _END_HEADERS, _STREAM, headers) + message_frame(first)


def take_frames(buffer: bytearray) -> Iterator[tuple[int, int, bytes]]:
    """Yields kind, flags and payload of every whole frame in a buffer, and removes it."""
    while len(buffer) >= _HEAD:
        end = _HEAD + int.from_bytes(buffer[:3], "big")
        if len(buffer) < end:
            return
        kind, flags, payload = buffer[3], buffer[4], bytes(buffer[_HEAD:end])
        del buffer[:end]
        yield kind, flags, payload
