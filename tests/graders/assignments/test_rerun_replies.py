"""A rerun's replies are untrusted: they are read with limits, or reported as unreadable."""

import pytest

from graders.assignments.cs224n_a4.hidden.rerun import runs
from graders.boundary.outcome import MALFORMED
from graders.grading.rerun import Rerun, RerunPlan
from tests.graders.assignments.answering import Answering


class Forger(Answering):
    """A student's process that answers what it likes."""

    def __init__(self, reply):
        self.reply = reply

    def answer(self, function, **_):
        return True if function == "rerun_begins" else self.reply


HONEST = {"status": 0, "signal": None, "kind": "state dict", "said": "", "seconds": 1.0}


@pytest.mark.parametrize(
    "reply",
    [
        None,
        [],
        {},
        {**HONEST, "signal": "x"},
        {**HONEST, "status": None, "kind": "missing"},
        {**HONEST, "seconds": []},
        {**HONEST, "shapes": {"a": 3}},
        {**HONEST, "shapes": {str(i): [1] for i in range(501)}},
        {**HONEST, "content": ["x"]},
    ],
)
def test_a_forged_reply_is_told_as_unreadable(world, reply):
    ran = runs.rerun_of(Rerun(Forger(reply), RerunPlan(60)), world)
    assert len(ran) == 1
    assert MALFORMED in ran[0].problem


def test_forged_names_and_words_are_cut(world):
    reply = {**HONEST, "said": "\x1b[2J" + "y" * 10**6, "shapes": {"module." * 10**6: [1] * 99}}
    ran = runs.rerun_of(Rerun(Forger(reply), RerunPlan(60)), world)[0]
    ((name, shape),) = ran.shapes.items()
    assert (len(name), len(shape)) == (200, 8)
    assert len(ran.said[0]) == 160
    assert "\x1b" not in ran.said[0]
