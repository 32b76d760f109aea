"""The meaning of a reply or an end, including forged replies."""

import re

import numpy as np
import pytest

from graders.boundary import outcome
from graders.boundary.process import Ending, ending
from graders.checks.compare import CheckFailed, CheckSkipped
from graders.errors import (
    BadReply,
    GraderFault,
    SandboxFailed,
    StudentExited,
    StudentFault,
    StudentOutOfMemory,
    StudentRaised,
    StudentSignalled,
    StudentTimedOut,
    Unavailable,
)
from graders.model import Limits

LIMITS = Limits(wall_seconds=1.5, cpu_seconds=10, memory_bytes=1, output_bytes=1, processes=1)


def test_value_is_the_answer_and_time_out_names_the_limit():
    assert outcome.answer({"id": 1, "value": [None]}) == [None]
    assert "more than 1.5 s" in str(outcome.out_of_time(LIMITS))


def test_only_a_resource_that_a_stand_in_lacks_is_our_fault():
    """Or any failure would be no zero: a student's process could report it as ours."""
    dataset = "the dataset `x/y` is not available without a network"
    ours = outcome.fault_of({"outcome": "unavailable", "message": dataset, "where": "a.py, line 1"})
    assert isinstance(ours, Unavailable)
    forged = {"outcome": "unavailable", "message": "the disk of this machine is full"}
    assert isinstance(outcome.fault_of(forged), StudentRaised)
    with pytest.raises(StudentRaised, match="dataset"):
        outcome.answer(
            {"id": 1, "error": {"outcome": "unavailable", "message": dataset}}, offline=False
        )


def test_a_limit_says_what_to_look_for():
    endings = [Ending(signal=outcome.SIGKILL, starved=True), Ending(3)]
    starved, ended = (outcome.fault_of_ending(end, LIMITS, 0) for end in endings)
    assert "loop that never ends" in outcome.out_of_time(LIMITS).hint
    assert "grows without end" in starved.hint
    assert "sys.exit()" in ended.hint


@pytest.mark.parametrize(
    "rest", [{}, {"error": 5}, {"error": None}, {"value": 1, "error": 1}, {"value": 1, "extra": 1}]
)
def test_replies_of_another_form_are_bad(rest):
    with pytest.raises(BadReply):
        outcome.answer({"id": 1, **rest})


@pytest.mark.parametrize("field", ["outcome", "kind", "message", "where", "source"])
@pytest.mark.parametrize("value", [np.zeros(3), {}, [1], None, "x" * 10**6, "\x1b[2J", 10**18])
def test_strange_errors_are_the_students(field, value):
    with pytest.raises(StudentFault) as caught:
        outcome.answer({"id": 1, "error": {"outcome": "raised", "kind": "E", field: value}})
    shown = str(caught.value) + caught.value.where
    assert len(shown) < 3 * outcome.MAX_TEXT
    assert "\x1b" not in shown


@pytest.mark.parametrize(
    ("error", "fault", "words"),
    [
        ({"outcome": "raised", "kind": "KeyError", "message": "3"}, StudentRaised, "KeyError: 3."),
        ({"outcome": "raised", "kind": "E"}, StudentRaised, "Calling your code raised E."),
        (
            {"outcome": "raised", "kind": "E", "where": "a.py, line 3"},
            StudentRaised,
            "Your code raised E.",
        ),
        ({"outcome": "exited", "message": "2"}, StudentExited, r"exit \(status 2\)"),
        ({"outcome": "exited"}, StudentExited, r"exit \(status 0\)"),
        ({"outcome": "out_of_memory"}, StudentOutOfMemory, "ran out of memory"),
        ({"outcome": "unsendable", "message": "a set"}, BadReply, "cannot be used: a set"),
    ],
)
def test_each_outcome_has_its_sentence(error, fault, words):
    with pytest.raises(fault, match=words):
        outcome.answer({"id": 1, "error": error})


@pytest.mark.parametrize(
    ("end", "busy", "fault", "words"),
    [
        (None, 0, BadReply, "closed its connection"),
        (Ending(status=0), 0, StudentExited, "exit status 0"),
        (Ending(signal=11), 0, StudentSignalled, r"segmentation fault \(signal 11\)"),
        (Ending(signal=10), 0, StudentSignalled, "signal 10"),
        (Ending(signal=63), 0, StudentSignalled, "signal 63"),
        (Ending(signal=24), 0, StudentTimedOut, "10 s of processor time"),
        (Ending(signal=9), 12, StudentTimedOut, "10 s of processor time"),
        (Ending(signal=9, seconds=12), 0, StudentTimedOut, "10 s of processor time"),
        (Ending(signal=9, starved=True), 2, StudentOutOfMemory, "too much memory"),
        (Ending(signal=9), 2, SandboxFailed, "SIGKILL"),
    ],
    ids=str,
)
def test_each_end_has_its_sentence(end, busy, fault, words):
    error = outcome.fault_of_ending(end, LIMITS, busy)
    assert type(error) is fault
    assert re.search(words, str(error))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        *((status, Ending(status=status)) for status in (0, 3, 128, 255)),
        (139, Ending(signal=11)),
        (-9, Ending(signal=9)),
    ],
)
def test_exit_status_is_read(code, expected):
    assert ending(code) == expected


@pytest.mark.parametrize(
    "read", [lambda reply: reply["x"], lambda reply: reply.missing, lambda reply: 1 / 0, int]
)
@pytest.mark.parametrize("reply", [None, np.zeros(3), [], "x", [[1]]], ids=repr)
def test_what_reading_raises_is_a_bad_reply(read, reply):
    with pytest.raises(BadReply, match="type or shape"):
        outcome.read_reply(read, reply)


@pytest.mark.parametrize(
    "said", [BadReply("Mine."), GraderFault("Ours."), CheckFailed("Wrong."), CheckSkipped("No.")]
)
def test_what_a_reader_says_on_purpose_stays(said):
    def read(_):
        raise said

    with pytest.raises(type(said)) as caught:
        outcome.read_reply(read, 1)
    assert caught.value is said
