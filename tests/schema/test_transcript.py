"""The match in proto/README.md is what the server says today."""

from tests.schema.transcript import README, transcript, written


def test_match_in_the_guide_is_what_the_server_says_today() -> None:
    page = README.read_text()

    assert written(page, transcript()) == page


def test_match_in_the_guide_is_whole() -> None:
    text = transcript()

    assert "match_started{" in text
    assert "cards_exchanged{" in text
    assert text.count("kind=PLAY") == 7
    assert "match_ended{cause=COMPLETED" in text
