"""Where the cards come from: the scheme `kiery-deal-1`.

A secret S is committed to before anybody knows the public entropy E; both give a master key, the
master key and a label give a board's key, and the key gives the shuffle. Whoever is later told S
can deal everything again. Source, with vectors: docs/fairness.md.

Integers are big-endian, text is UTF-8, and every prefix ends with one zero byte.
"""

import hashlib
import hmac
from collections.abc import MutableSequence
from typing import Any, Final

from kiery.cards import CARDS, EMPTY, add_card, mask_of
from kiery.engine.board import Board
from kiery.rules import Rules

__all__ = ["SCHEME", "Derivation", "Stream", "commitment_of", "derive_board", "key_hash_of"]

SCHEME: Final = "kiery-deal-1"
"""The name of the scheme, as it stands in records."""

SECRET_BYTES: Final = 32
"""Length of S."""

_WORD: Final = 4
_WORD_VALUES: Final = 1 << 32


def _hmac(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, "sha256")


def commitment_of(secret: bytes) -> bytes:
    """Returns C, 32 bytes: published before the entropy is known.

    Raises:
        ValueError: The secret is not 32 bytes.
    """
    if len(secret) != SECRET_BYTES:
        raise ValueError(f"the secret has {len(secret)} bytes: expected {SECRET_BYTES}")
    return hashlib.sha256(b"kiery-commit-1\0" + secret).digest()


def key_hash_of(key: bytes) -> bytes:
    """Returns H, 32 bytes: shown to a table before its deal, checked when K is published."""
    return hashlib.sha256(b"kiery-dealkey-1\0" + key).digest()


class Stream:
    """An endless stream of uniform numbers from one key: HMAC blocks read as consecutive 32-bit words."""

    def __init__(self, key: bytes) -> None:
        """Starts at the first word of block 0."""
        self._key = key
        self._block = 0
        self._words: list[int] = []

    def _next(self) -> int:
        if not self._words:
            block = _hmac(self._key, self._block.to_bytes(_WORD, "big"))
            self._block += 1
            self._words = [
                int.from_bytes(block[start : start + _WORD], "big") for start in range(0, len(block), _WORD)
            ]
            self._words.reverse()
        return self._words.pop()

    def below(self, bound: int) -> int:
        """Returns a uniform number from 0 to bound - 1.

        Words beyond the last whole multiple of the bound are skipped, so nothing is likelier.
        """
        limit = _WORD_VALUES - _WORD_VALUES % bound
        while True:
            word = self._next()
            if word < limit:
                return word % bound

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """Shuffles in place (Fisher–Yates from the end)."""
        for last in range(len(items) - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]


class Derivation:
    """All that one tournament's secret and entropy determine."""

    def __init__(self, secret: bytes, entropy: bytes = b"") -> None:
        """Computes the master key M from S and E.

        Raises:
            ValueError: The secret is not 32 bytes.
        """
        self.commitment = commitment_of(secret)
        self._master = _hmac(secret, b"kiery-master-1\0" + hashlib.sha256(entropy).digest())

    def __repr__(self) -> str:
        """Shows the commitment only: the master key must not end up in a log."""
        return f"Derivation(commitment={self.commitment.hex()})"

    def key(self, label: str) -> bytes:
        """Returns K of a label `<tournament>/<stream>/<number>`, 32 bytes."""
        return _hmac(self._master, b"kiery-deal-1\0" + label.encode())

    def stream(self, label: str) -> Stream:
        """Returns the number stream of a label."""
        return Stream(self.key(label))


def derive_board(rules: Rules, number: int, label: str, key: bytes) -> Board:
    """Returns the board that a key deals.

    The canonical deck (ascending, the second pack after the first) is shuffled and cut into hands, seat 0
    first; the rest is the kitty.
    """
    deck: list[int] = [card for card in CARDS if rules.deck >> card & 1]
    deck += [card for card in CARDS if rules.deck >> (card + len(CARDS)) & 1]
    Stream(key).shuffle(deck)
    size = rules.hand_size
    hands = tuple(mask_of(deck[seat * size : (seat + 1) * size]) for seat in range(rules.num_players))
    kitty = EMPTY
    for card in deck[rules.num_players * size :]:
        kitty = add_card(kitty, card)
    return Board(number=number, hands=hands, kitty=kitty, label=label, key_hash=key_hash_of(key))
