import pytest

from kiery.bench.answers import answer_all
from kiery.bench.bare import turn
from kiery.v1 import play_pb2, terms_pb2


def response(**fields: object) -> play_pb2.PlayResponse:
    update = play_pb2.TableUpdate(table=7, **fields)  # type: ignore[arg-type]
    return play_pb2.PlayResponse(updates=[update])


@pytest.mark.parametrize("decision", range(1, 40))
def test_a_pass_is_three_of_the_legal_cards(decision: int) -> None:
    legal = bytes(range(1, 14))

    request = answer_all(
        response(decision=decision, kind=terms_pb2.DECISION_KIND_PASS, legal=legal, choose_count=3)
    )

    (answer,) = request.answers
    assert (answer.table, answer.decision) == (7, decision)
    assert len(set(answer.cards)) == 3
    assert set(answer.cards) <= set(legal)


def test_ready_and_moon_are_answered_without_cards() -> None:
    request = answer_all(response(decision=1, kind=terms_pb2.DECISION_KIND_READY))

    assert request.answers == [play_pb2.Answer(table=7, decision=1)]


def test_news_without_a_decision_are_not_answered() -> None:
    assert not answer_all(response(sequence=3)).ByteSize()


def test_a_ping_is_echoed() -> None:
    request = answer_all(play_pb2.PlayResponse(heartbeat=play_pb2.Heartbeat(ping=9)))

    assert request.heartbeat.pong == 9


def test_the_bare_turn_is_as_long_as_a_turn_and_asks_one_card() -> None:
    request = answer_all(play_pb2.PlayResponse.FromString(turn()))

    assert 66 <= len(turn()) <= 74
    assert 11 <= request.ByteSize() <= 15
    assert len(request.answers[0].cards) == 1
