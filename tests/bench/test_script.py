from kiery.bench.script import write_script
from kiery.v1 import play_pb2, terms_pb2


async def test_a_script_has_a_message_for_every_decision_of_a_pass_cycle() -> None:
    script = write_script()

    sent = [message for step in script.steps for message in step]
    # Three deals in which four seats pass, one in which nobody does.
    assert len(script.steps) == len(sent) == 4 * 52 + 3 * 4


async def test_every_message_of_a_script_asks_one_decision() -> None:
    script = write_script()

    for _, message in (*script.opening, *(each for step in script.steps for each in step)):
        response = play_pb2.PlayResponse.FromString(message)
        assert sum(update.decision > 0 for update in response.updates) == 1


async def test_a_script_begins_again_where_it_ends() -> None:
    script = write_script()

    def asked(messages: tuple[tuple[int, bytes], ...]) -> list[tuple[int, int]]:
        responses = [(seat, play_pb2.PlayResponse.FromString(message)) for seat, message in messages]
        return [(seat, response.updates[-1].kind) for seat, response in responses]

    passing = [(seat, terms_pb2.DECISION_KIND_PASS) for seat in range(4)]
    assert asked(script.opening) == asked(script.steps[-1]) == passing


async def test_the_seats_of_a_script_answer_as_often_as_they_are_asked() -> None:
    script = write_script()
    waiting = len(script.opening)

    for step in script.steps:
        waiting += len(step) - 1
        assert waiting >= 1

    assert waiting == len(script.opening)
