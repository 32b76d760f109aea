"""For every reply about the classifier, a check decides or fails with a message."""

import copy
import inspect

import numpy as np
import pytest

from graders.assignments.uw_a2.sst2_data import checks as data_checks
from graders.assignments.uw_a2.sst2_main import checks as main_checks
from graders.assignments.uw_a2.sst2_training import checks as training_checks
from graders.assignments.uw_a2.sst2_training.updates import require_long_epoch
from graders.checks.compare import CheckFailed
from graders.checks.inputs import Inputs
from graders.checks.score import Score
from graders.errors import BadReply, StudentRaised
from tests.graders.assignments.answering import Answering

INPUTS = Inputs(0, 447)
JUNK = (None, True, -1, 7, 0.5, float("nan"), "x", [], {}, [[]], [None] * 3, {"type": 3},
        np.zeros(3), np.zeros((2, 2), dtype=bool), np.array(5), 2**62,
        np.full((4, 3), np.nan), np.ones((4, 3), dtype=complex))  # fmt: skip
NUMBER = {"type": "float", "value": 0.5}
EVENT = {"kind": "train", "epoch": 1, "split": "train", "training": True, "weights": 1,
         "place": "a.pt", "gradient": True, "initial": False,
         "optimizer": {"name": "AdamW", "adamw": True, "held": 2, "weights": 2, "half": False,
                       "lr": 0.1}}  # fmt: skip
LOADER = {"orders": [[1, 0], [0, 1]], "places": [1, 0], "count": 2, "names": ["a"], "plain": True,
          "raised": ""}  # fmt: skip
ITEM = {"type": "dict", "text": "a film", "label": 1}
BATCH = {"text": {"input_ids": np.ones((4, 3), dtype=np.int64),
                  "attention_mask": np.ones((4, 3), dtype=np.int64)},
         "labels": np.array([1, 0, 1, 0]), "dropped": [99]}  # fmt: skip
TRAINED = {"ids": [np.ones((4, 3), dtype=np.int64)], "training": [True], "gradient": [True],
           "steps": [1], "returned": [NUMBER], "weights": {"w": np.ones(2)}}  # fmt: skip
EVALUATED = {"returned": {"type": "tuple", "parts": {"0": NUMBER, "1": NUMBER}},
             "training": [False], "gradient": [False], "changed": []}  # fmt: skip
REPLIES = {
    "sst2_file": {"file": "A2S3.py", "notes": ["one"]},
    "sst2_splits": {"train": {"length": 9, "items": [ITEM]}, "test": {"length": 3, "items": []}},
    "sst2_indexed": {"length": 14, "items": [ITEM] * 14},
    "sst2_items": {"first": [ITEM] * 9, "again": [ITEM] * 9, "type": "dict"},
    "sst2_collate": [BATCH] * 4,
    "sst2_training": TRAINED,
    "sst2_evaluations": [EVALUATED] * 6,
    "sst2_left_on_cpu": ["main", "evaluate"],
    "sst2_accuracies": {"tensors": [NUMBER] * 6, "lists": [NUMBER]},
    "sst2_main": {
        "events": [EVENT, EVENT | {"kind": "keep"}, EVENT | {"kind": "evaluate", "split": "test"},
                   EVENT | {"kind": "evaluate", "split": "validation"}],
        "loaders": {"train": LOADER, "validation": LOADER, "test": LOADER},
    },
}  # fmt: skip
TOKENS = {"ids": [np.arange(700 if at > 10 else 5) for at in range(13)], "pad": 1, "size": 2000}
WEIGHTS = {"w": np.zeros(2)}


class Answers(Answering):
    """A process that gives these replies, copied, by the name of the function."""

    def __init__(self, replies):
        self.replies = replies
        self.called = set()

    def answer(self, function, /, **values):
        self.called.add(function)
        return copy.deepcopy(self.replies[function])


class Oracle(Answering):
    """Answers of the right form about three weights."""

    def answer(self, function, /, **values):
        if function == "sst2_tokens":
            return TOKENS | {"ids": TOKENS["ids"][-len(values["texts"]) :]}
        return {"start": WEIGHTS} | {rule: {"w": np.ones(2)} for rule in values["rules"]}


@pytest.fixture(scope="module")
def checks():
    """The checks of the three criteria that ask for a function, by its name."""
    by_function = {function: [] for function in REPLIES}
    for module in (data_checks, training_checks, main_checks):
        for check in [check for name, check in vars(module).items() if name.startswith("test_")]:
            student = Answers(REPLIES)
            decides(check, student)
            for function in student.called:
                by_function[function].append(check)
    return by_function


def decides(check, student):
    """Runs a check; whatever it raises beside a decision about the student is our bug."""
    fixtures = {"student": student, "sandbox": Oracle(), "inputs": INPUTS, "score": Score()}
    try:
        check(**{name: fixtures[name] for name in inspect.signature(check).parameters})
    except (CheckFailed, BadReply, StudentRaised):
        return


def spoiled(value):
    """The value with each of its parts in turn replaced by junk."""
    yield from (copy.deepcopy(junk) for junk in JUNK)
    if isinstance(value, dict):
        for key in value:
            yield {name: part for name, part in value.items() if name != key}
            yield from ({**value, key: part} for part in spoiled(value[key]))
    elif isinstance(value, list) and value:
        yield value[:-1]
        yield from ([part, *value[1:]] for part in spoiled(value[0]))
        if len(value) > 1:
            yield from ([*value[:-1], part] for part in spoiled(value[-1]))


@pytest.mark.slow
@pytest.mark.parametrize("function", REPLIES)
def test_junk_is_no_fault_of_ours(checks, function):
    assert checks[function]
    for reply in spoiled(REPLIES[function]):
        for check in checks[function]:
            decides(check, Answers(REPLIES | {function: reply}))


@pytest.mark.parametrize("reply", JUNK, ids=repr)
def test_junk_for_a_long_epoch_is_no_fault_of_ours(reply):
    decides(require_long_epoch, Answers({"sst2_long_epoch": reply}))
