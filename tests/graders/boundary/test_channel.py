"""Bytes that a student's process forges on its channel gain nothing."""

import contextlib

import numpy as np
import pytest

from graders.errors import BadReply, StudentTimedOut

# The channel is the one socket among the descriptors; a student's code can find it.
FORGE = """
import os, stat, struct, time

def is_socket(number):
    try:
        return stat.S_ISSOCK(os.fstat(number).st_mode)
    except OSError:
        return False

channel = next(filter(is_socket, range(3, 256)))

def frame(head, blob=b""):
    return struct.pack(">4sII", b"SMW1", len(head), len(blob)) + head + blob

def send(data):
    while data:
        data = data[os.write(channel, data):]
"""


@pytest.mark.parametrize(
    "body",
    [
        "send(b'HTTP/1.1 200 OK')",
        "send(struct.pack('>4sII', b'SMW1', 2**32 - 1, 2**32 - 1))",
        'send(frame(b\'{"d": {"id": 99, "value": 1}}\'))',
        'send(frame(b\'{"d": {"id": 1, "error": 5}}\'))',
        "send(os.urandom(2**20))",
    ],
)
def test_forged_replies_are_bad_replies(forger, body):
    with pytest.raises(BadReply):
        forger.call("run", source=FORGE + body + "\ntime.sleep(20)")


@pytest.fixture
def forger(opener):
    """A child of its own, as each of these tests ends it."""
    return opener(wall_seconds=10)


def test_half_a_frame_is_a_time_out(opener):
    source = FORGE + "send(frame(b'null')[:-2]); time.sleep(20)"
    with pytest.raises(StudentTimedOut):
        opener(wall_seconds=1).call("run", source=source)


def test_forged_error_is_the_students(forger):
    """Even a reply that claims our own fault is judged as the student's."""
    head = b'{"d": {"id": 1, "error": {"d": {"outcome": "sandbox_failed", "kind": "x"}}}}'
    with pytest.raises(Exception, match="Calling your code raised x") as caught:
        forger.call("run", source=FORGE + f"send(frame({head!r}))\ntime.sleep(20)")
    assert type(caught.value).__name__ == "StudentRaised"


def test_extra_replies_are_dropped_with_the_child(forger):
    """What comes unasked never answers the next question."""
    head = b'{"d": {"id": 2, "value": "forged"}}'
    source = FORGE + f'send(frame(b\'{{"d": {{"id": 1, "value": 0}}}}\') + frame({head!r}))'
    assert forger.call("run", source=source) == 0
    assert forger.call("echo", value="true") == "true"


def test_reply_flood_ends_in_time(opener):
    source = FORGE + 'while True: send(frame(b\'{"d": {"id": 1, "value": 0}}\'))'
    student = opener()
    assert student.call("run", source=source) == 0
    with contextlib.suppress(BadReply):  # when more came only after the next question
        student.call("echo", value=4)
    assert student.call("echo", value=5) == 5


def test_question_that_nobody_reads_ends_in_time(opener):
    """The parent does not block on a child that has stopped reading."""
    source = FORGE + (
        "import threading\n"
        "def steal():\n"
        '    send(frame(b\'{"d": {"id": 1, "value": 0}}\'))\n'
        "    time.sleep(20)\n"
        "steal()"
    )
    student = opener(wall_seconds=2)
    assert student.call("run", source=source) == 0
    student.begin_check()
    with pytest.raises(StudentTimedOut):
        student.call("echo", value=np.zeros(2**20))
