"""Gets ready, then sends bytes that are no message."""

import raw

from kiery.v1 import play_pb2, terms_pb2


def garbage(response: play_pb2.PlayResponse) -> list[bytes]:
    messages = []
    for update in response.updates:
        if update.kind == terms_pb2.DECISION_KIND_READY:
            ready = play_pb2.Answer(table=update.table, decision=update.decision)
            messages.append(play_pb2.PlayRequest(answers=[ready]).SerializeToString())
        elif update.decision:
            messages.append(b"\xff\xff\xff")
    return messages


raw.converse(garbage)
