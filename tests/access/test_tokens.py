"""Tokens: shown once, stored hashed, revoked at once, and never told apart by an error."""

import sqlite3
from dataclasses import replace

import pytest

from kiery.access import AccessError, Role, TokenBook, TokenNameError, UnknownTokenError
from kiery.store import Store


def open_store(tmp_path):
    return Store.open(f"sqlite:///{tmp_path}/kiery.sqlite")


def test_a_token_says_who_bears_it():
    book = TokenBook()
    made = book.add("fox", Role.BOT, now_ms=5)

    identity = book.authenticate(made.secret)

    assert identity == made.identity
    assert (identity.name, identity.role) == ("fox", Role.BOT)


def test_a_secret_has_256_random_bits_and_is_never_the_same():
    book = TokenBook()

    found = {book.add(f"fox{number}", Role.BOT, now_ms=5).secret for number in range(50)}

    assert len(found) == 50
    assert all(len(secret.rpartition(".")[2]) * 6 >= 256 for secret in found)


def test_unknown_revoked_malformed_and_forged_tokens_are_refused_in_the_same_words():
    book = TokenBook()
    revoked, live = book.add("fox", Role.BOT, now_ms=5), book.add("hen", Role.BOT, now_ms=5)
    book.revoke("fox", now_ms=6)
    stem, _, tail = live.secret.rpartition(".")
    forged = [
        "",
        "x",
        "kiery.." + tail,
        f"{stem}.",
        f"{stem}.{tail[::-1]}",
        live.secret + "x",
        f" {live.secret}",
        "ż" * 9,
        "\ud800",
    ]

    errors = set()
    for secret in [revoked.secret, *forged]:
        with pytest.raises(AccessError) as caught:
            book.authenticate(secret)
        errors.add((str(caught.value), caught.value.reason))

    assert len(errors) == 1
    assert book.authenticate(live.secret).name == "hen"


@pytest.mark.parametrize("name", ["", "x" * 65, "a\nb", "a\x00", " fox", "fox "])
def test_a_name_that_cannot_be_shown_is_refused(name):
    with pytest.raises(TokenNameError, match="cannot name a token"):
        TokenBook().add(name, Role.BOT, now_ms=5)


def test_a_name_is_free_again_once_its_token_is_revoked():
    book = TokenBook()
    first = book.add("fox", Role.BOT, now_ms=5)
    with pytest.raises(TokenNameError, match="live already"):
        book.add("fox", Role.SPECTATOR, now_ms=6)

    book.revoke(first.identity.token_id, now_ms=7)
    second = book.add("fox", Role.BOT, now_ms=8)

    assert book.authenticate(second.secret).name == "fox"
    assert [token.revoked_ms for token in book.tokens()] == [7, None]


def test_the_last_organiser_cannot_be_revoked():
    book = TokenBook()
    book.add("one", Role.ORGANISER, now_ms=5)
    with pytest.raises(UnknownTokenError, match="last organiser"):
        book.revoke("one", now_ms=6)

    book.add("two", Role.ORGANISER, now_ms=5)

    assert book.revoke("one", now_ms=6).name == "one"


def test_revoking_what_is_not_there_is_refused():
    with pytest.raises(UnknownTokenError, match="no live token is called 'fox'"):
        TokenBook().revoke("fox", now_ms=6)


def test_a_new_store_gives_its_first_organiser_a_token_once(tmp_path):
    with open_store(tmp_path) as store:
        _, first = TokenBook.of_store(store, now_ms=5)
    with open_store(tmp_path) as store:
        book, again = TokenBook.of_store(store, now_ms=9)

    assert first is not None
    assert again is None
    assert book.authenticate(first.secret).role is Role.ORGANISER


def test_tokens_survive_the_server_but_those_of_launched_bots_do_not(tmp_path):
    with open_store(tmp_path) as store:
        book = TokenBook(store.tokens)
        kept, own = book.add("fox", Role.BOT, now_ms=5), book.add("hen", Role.BOT, now_ms=5, kept=False)
        revoked = book.add("owl", Role.SPECTATOR, now_ms=5)
        book.revoke("owl", now_ms=6)
        listed = book.tokens()
    with open_store(tmp_path) as store:
        book = TokenBook(store.tokens)

        assert book.authenticate(kept.secret) == kept.identity
        for gone in (own, revoked):
            with pytest.raises(AccessError):
                book.authenticate(gone.secret)
        assert [token.name for token in listed] == ["fox", "hen", "owl"]
        assert [token.name for token in book.tokens()] == ["fox", "owl"]


def test_a_secret_is_neither_in_the_file_nor_in_any_repr(tmp_path):
    with open_store(tmp_path) as store:
        book = TokenBook(store.tokens)
        made = book.add("fox", Role.BOT, now_ms=5)
        shown = f"{made!r} {book!r} {book.tokens()!r} {store!r}"
    with sqlite3.connect(tmp_path / "kiery.sqlite") as connection:
        rows = connection.execute("SELECT * FROM token").fetchall()
    connection.close()

    random_part = made.secret.rpartition(".")[2]
    assert random_part not in shown
    assert random_part not in repr(rows)
    assert random_part.encode() not in (tmp_path / "kiery.sqlite").read_bytes()


def test_a_token_with_another_ones_id_is_refused():
    book = TokenBook()
    fox, hen = book.add("fox", Role.BOT, now_ms=5), book.add("hen", Role.ORGANISER, now_ms=5)
    mixed = f"kiery.{hen.identity.token_id}.{fox.secret.rpartition('.')[2]}"

    with pytest.raises(AccessError):
        book.authenticate(mixed)

    assert replace(fox.identity) == book.authenticate(fox.secret)
