import pytest

from kiery.bench.frames import DATA, PING, SETTINGS, frame, message_frame, opening, take_frames


def test_frames_are_taken_whole_and_in_order() -> None:
    data = frame(SETTINGS, 0, 0, b"") + frame(PING, 1, 0, b"12345678") + message_frame(b"abc")
    buffer = bytearray()

    taken = []
    for byte in data:
        buffer.append(byte)
        taken += take_frames(buffer)

    assert taken == [(SETTINGS, 0, b""), (PING, 1, b"12345678"), (DATA, 0, b"\0\0\0\0\3abc")]
    assert not buffer


def test_half_a_frame_is_waited_for() -> None:
    buffer = bytearray(frame(PING, 0, 0, b"12345678")[:-1])

    assert list(take_frames(buffer)) == []
    assert len(buffer) == 16


def test_a_header_that_needs_a_longer_length_is_refused() -> None:
    with pytest.raises(ValueError, match="at most 126"):
        opening("/kiery.v1.PlayService/Play", "x" * 200, b"")
