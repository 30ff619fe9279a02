"""The steps of docs/fairness.md, "By hand, in any language": the standard library and nothing of kiery."""

import hashlib
import hmac
import json
from typing import Any

import pytest
from tests.audit.tournaments import Evening

DECK = [rank + suit for suit in "CDSH" for rank in "23456789TJQKA"]


def mac(key: bytes, message: bytes) -> bytes:
    return hmac.new(key, message, hashlib.sha256).digest()


class Numbers:
    def __init__(self, key: bytes) -> None:
        self.key, self.words, self.block = key, [], 0

    def below(self, bound: int) -> int:
        while True:
            if not self.words:
                block = mac(self.key, self.block.to_bytes(4, "big"))
                self.block += 1
                self.words = [int.from_bytes(block[at : at + 4], "big") for at in range(0, 32, 4)]
            word = self.words.pop(0)
            if word < 2**32 - 2**32 % bound:
                return word % bound


def key_of(secret: bytes, entropy: str, label: str) -> bytes:
    master = mac(secret, b"kiery-master-1\0" + hashlib.sha256(entropy.encode()).digest())
    return mac(master, b"kiery-deal-1\0" + label.encode())


def hands_of(key: bytes) -> list[list[str]]:
    numbers, deck = Numbers(key), list(DECK)
    for last in range(51, 0, -1):
        other = numbers.below(last + 1)
        deck[last], deck[other] = deck[other], deck[last]
    return [sorted(deck[seat * 13 : seat * 13 + 13], key=DECK.index) for seat in range(4)]


def text_of(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode("ascii")


@pytest.mark.parametrize("sharing", ["independent", "laps"])
def test_published_lines_are_checked_by_hand(sharing: str) -> None:
    played = Evening("ala ola ela ula", deals_per_bot=1, entropy="later", sharing=sharing)
    played.void(1)
    lines = played.lines()
    values = [json.loads(line) for line in lines]

    first, second = values[:2]
    spec, secret = first["spec"], bytes.fromhex(second["secret"])
    assert [text_of(value) + b"\n" for value in values] == lines
    assert hashlib.sha256(text_of(spec)).hexdigest() == first["spec_digest"]
    assert hashlib.sha256(b"kiery-commit-1\0" + secret).hexdigest() == first["commitment"]

    fixtures = [line for line, value in zip(lines, values, strict=True) if value["kind"] == "fixture"]
    key = key_of(secret, spec["entropy"], f"{spec['name']}/schedule/3")
    message = b"kiery-schedule-1\0" + hashlib.sha256(b"".join(fixtures)).digest()
    assert mac(key, message).hex() == first["schedule_digest"]

    streams = {value["fixture"]: value["stream"] for value in values if value["kind"] == "fixture"}
    attempts = [value for value in values if value["kind"] == "attempt"]
    assert {value["status"] for value in attempts} == {"valid", "void"}
    for attempt in attempts:
        again = f".{attempt['attempt']}" if attempt["attempt"] > 1 else ""
        for deal in attempt["record"]["deals"]:
            label = f"{spec['name']}/{streams[attempt['fixture']]}{again}/{deal['board']}"
            assert deal["label"] == label
            assert [hand.split() for hand in deal["hands"]] == hands_of(
                key_of(secret, spec["entropy"], label)
            )
