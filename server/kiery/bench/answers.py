"""How the bench's bots answer: any legal card, without thought, the same for every floor and figure."""

from kiery.v1 import play_pb2

__all__ = ["answer_all"]


def answer_all(response: play_pb2.PlayResponse) -> play_pb2.PlayRequest:
    """Returns the answers to every decision in a message; empty if nothing is asked.

    Cards are taken from the legal ones by the decision's number, so that both ends of the list occur.
    """
    request = play_pb2.PlayRequest()
    answers = request.answers
    for update in response.updates:
        decision = update.decision
        if decision:
            legal = update.legal
            count = update.choose_count
            start = decision % (len(legal) - count + 1)
            answers.add(table=update.table, decision=decision, cards=legal[start : start + count])
    if response.HasField("heartbeat") and response.heartbeat.ping:
        request.heartbeat.pong = response.heartbeat.ping
    return request
