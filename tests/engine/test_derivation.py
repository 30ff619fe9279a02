"""Cards come from the published scheme, number for number."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from scipy import stats
from tests.rules.variants import TABLE_IDS, TABLES

from kiery.cards import count_cards, join_cards, parse_cards
from kiery.engine import SCHEME, Derivation, Stream, commitment_of, derive_board, key_hash_of
from kiery.rules import preset

VECTORS: dict[str, Any] = json.loads((Path(__file__).parent / "data" / "deal_vectors.json").read_text())
SECRET = bytes.fromhex(VECTORS["S"])
KEY = bytes(range(32))


@pytest.fixture
def derivation() -> Derivation:
    return Derivation(SECRET, VECTORS["E"].encode())


def test_commitment_is_that_of_the_vector(derivation: Derivation) -> None:
    assert commitment_of(SECRET).hex() == derivation.commitment.hex() == VECTORS["C"]
    assert SCHEME == "kiery-deal-1"


@pytest.mark.parametrize("case", VECTORS["deals"], ids=[case["label"] for case in VECTORS["deals"]])
def test_board_is_that_of_the_vector(case: dict[str, Any], derivation: Derivation) -> None:
    rules = preset(case["preset"], case["players"])
    key = derivation.key(case["label"])

    board = derive_board(rules, 1, case["label"], key)

    assert key.hex() == case["K"]
    assert board.key_hash.hex() == key_hash_of(key).hex() == case["H"]
    assert list(board.hands) == [parse_cards(hand) for hand in case["hands"]]
    assert board.kitty == parse_cards(case["kitty"])
    assert (board.number, board.label) == (1, case["label"])


@pytest.mark.parametrize("case", VECTORS["deals"], ids=[case["label"] for case in VECTORS["deals"]])
def test_first_words_are_those_of_the_block_of_the_vector(
    case: dict[str, Any], derivation: Derivation
) -> None:
    stream = derivation.stream(case["label"])
    block = bytes.fromhex(case["block0"])

    # A bound of 2³² skips nothing, so the numbers are the words.
    words = [stream.below(1 << 32) for _ in range(len(block) // 4)]

    assert b"".join(word.to_bytes(4, "big") for word in words) == block


@pytest.mark.parametrize("length", [0, 31, 33])
def test_secret_of_another_length_is_refused(length: int) -> None:
    with pytest.raises(ValueError, match=f"the secret has {length} bytes: expected 32"):
        commitment_of(bytes(length))
    with pytest.raises(ValueError, match="expected 32"):
        Derivation(bytes(length), b"")


def test_secret_is_not_shown(derivation: Derivation) -> None:
    shown = repr(derivation)

    assert VECTORS["C"] in shown
    assert VECTORS["S"] not in shown
    assert VECTORS["M"] not in shown


def test_another_label_secret_or_entropy_is_another_key(derivation: Derivation) -> None:
    other = bytes(reversed(SECRET))

    keys = {
        derivation.key("t/s0/1"),
        derivation.key("t/s0/2"),
        Derivation(SECRET, b"").key("t/s0/1"),
        Derivation(other, VECTORS["E"].encode()).key("t/s0/1"),
    }

    assert len(keys) == 4


@pytest.mark.parametrize(("name", "players"), TABLES, ids=TABLE_IDS)
def test_every_derived_board_is_the_whole_deck(name: str, players: int) -> None:
    rules = preset(name, players)

    board = derive_board(rules, 5, "x", KEY)

    together = board.kitty
    for hand in board.hands:
        assert count_cards(hand) == rules.hand_size
        together = join_cards(together, hand)
    assert together == rules.deck


@pytest.mark.parametrize("bound", [1, 2, 3, 52, 104, 1 << 31, (1 << 31) + 1, (1 << 32) - 1])
def test_numbers_lie_below_their_bound(bound: int) -> None:
    stream = Stream(KEY)

    assert all(0 <= stream.below(bound) < bound for _ in range(200))


def test_words_beyond_the_last_multiple_are_skipped() -> None:
    # With a bound just over 2³¹ half of all words are skipped: the numbers are those that remain.
    bound = (1 << 31) + 1
    words, numbers = Stream(KEY), Stream(KEY)

    kept = [word for word in (words.below(1 << 32) for _ in range(200)) if word < bound]

    assert 50 < len(kept) < 150
    assert [numbers.below(bound) for _ in kept] == kept


def test_stream_repeats_for_its_key_and_differs_for_another() -> None:
    first, again, other = Stream(KEY), Stream(KEY), Stream(KEY[::-1])

    numbers = [first.below(1000) for _ in range(50)]

    assert numbers == [again.below(1000) for _ in range(50)]
    assert numbers != [other.below(1000) for _ in range(50)]


def test_shuffle_puts_every_card_everywhere() -> None:
    stream = Stream(KEY)
    places: Counter[tuple[int, int]] = Counter()
    rounds = 6_000

    for _ in range(rounds):
        items = [0, 1, 2]
        stream.shuffle(items)
        places.update(enumerate(items))

    # Nine places, a third of the rounds each; five standard deviations.
    assert all(abs(count - rounds / 3) < 5 * (rounds * 2 / 9) ** 0.5 for count in places.values())
    assert len(places) == 9


def chi_square(counts: list[list[int]], rounds: int) -> float:
    """Returns the probability of counts at least so uneven if all orders of the deck are equally likely.

    Each position holds one card and each card one position, so a count varies less than a free one: the
    scale is rounds / (cards - 1), the degrees of freedom (cards - 1) squared.
    """
    cards = len(counts)
    mean = rounds / cards
    statistic = sum((count - mean) ** 2 for row in counts for count in row) * (cards - 1) / rounds
    return float(stats.chi2.sf(statistic, (cards - 1) ** 2))


def positions(rounds: int) -> list[list[int]]:
    """Returns by position how often each card came to it, over boards of one tournament."""
    derivation = Derivation(SECRET, b"statistics")
    counts = [[0] * 52 for _ in range(52)]
    for number in range(rounds):
        deck = list(range(52))
        derivation.stream(f"t/f{number}/1").shuffle(deck)
        for position, card in enumerate(deck):
            counts[position][card] += 1
    return counts


def test_every_card_comes_to_every_position_equally_often() -> None:
    rounds = 600

    assert 0.001 <= chi_square(positions(rounds), rounds) <= 0.999


@pytest.mark.slow
def test_every_card_comes_to_every_position_equally_often_in_many_deals() -> None:
    rounds = 20_000

    probability = chi_square(positions(rounds), rounds)

    print(f"{rounds} deals, card by position: p = {probability:.3f}")  # noqa: T201  (shown with -s)
    assert 0.001 <= probability <= 0.999


def test_uneven_counts_are_improbable() -> None:
    rounds = 600
    counts = positions(rounds)
    # One deal in five puts the ace of spades on top.
    for card in range(52):
        counts[0][card] -= counts[0][card] // 5
    counts[0][38] += rounds - sum(counts[0])

    assert chi_square(counts, rounds) < 0.001
