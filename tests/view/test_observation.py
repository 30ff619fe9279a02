"""What a bot's author reads off an observation."""

from kiery.cards import Suit, parse_card, parse_cards
from kiery.rules import preset
from kiery.view import DecisionKind, Observation, Phase, Play


def seen(cards: str, winners: bytes = b"", **fields: object) -> Observation:
    """Returns an observation in which seat 1 led and everybody played in turn."""
    numbers = bytes(parse_card(word) for word in cards.split())
    values = {
        "rules": preset("hearts", 3),
        "seat": 0,
        "deal_number": 1,
        "phase": Phase.PLAYING,
        "dealer": 0,
        "pass_offset": 1,
        "hand_mask": parse_cards("AS 2S 2H"),
        "points": (0, 0, 0),
        "scores": (0, 0, 0),
        "seats": bytes((1 + index) % 3 for index in range(len(numbers))),
        "cards": numbers,
        "winners": winners,
        "trick_size": len(numbers) - 3 * len(winners),
    }
    return Observation(**{**values, **fields})


def test_cards_are_read_as_cards_in_ascending_order() -> None:
    observation = seen(
        "",
        passed_mask=parse_cards("KH 2C"),
        received_mask=parse_cards("3C"),
        kitty_mask=parse_cards("4C 4C"),
        kind=DecisionKind.PLAY,
        legal_mask=parse_cards("AS 2S"),
    )

    assert list(map(str, observation.hand)) == ["2S", "AS", "2H"]
    assert list(map(str, observation.passed)) == ["2C", "KH"]
    assert list(map(str, observation.received)) == ["3C"]
    assert list(map(str, observation.kitty)) == ["4C", "4C"]
    assert list(map(str, observation.legal)) == ["2S", "AS"]


def test_leader_sees_an_empty_trick_and_no_suit() -> None:
    observation = seen("2C 3C 4C", b"\2")

    assert (observation.trick, observation.led_suit, observation.trick_number) == ((), None, 2)


def test_follower_sees_the_trick_and_the_suit_led() -> None:
    observation = seen("2C 3C 4C 9D KS", b"\2")

    assert observation.trick == (Play(1, parse_card("9D")), Play(2, parse_card("KS")))
    assert observation.led_suit is Suit.DIAMONDS
    assert observation.trick_number == 2


def test_plays_and_tricks_are_the_whole_deal_in_order() -> None:
    observation = seen("2C 3C 4C 9D KS TD 2H", b"\2\0")

    assert [play.seat for play in observation.plays] == [1, 2, 0, 1, 2, 0, 1]
    assert [[str(play.card) for play in trick] for trick in observation.tricks] == [
        ["2C", "3C", "4C"],
        ["9D", "KS", "TD"],
    ]
