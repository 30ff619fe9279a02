"""Comes with a token that nobody gave it."""

import raw

raw.converse(lambda _: [], token="kiery.0123456789abcdef.nobody-gave-me-this")
