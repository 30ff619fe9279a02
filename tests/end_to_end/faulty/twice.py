"""Answers everything twice."""

import raw

from kiery.v1 import play_pb2


def twice(response: play_pb2.PlayResponse) -> list[bytes]:
    answers = raw.answers_to(response)
    return [play_pb2.PlayRequest(answers=answers * 2).SerializeToString()] if answers else []


raw.converse(twice)
