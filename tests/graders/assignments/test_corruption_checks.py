"""The checks of span corruption on planted datasets, read in this process."""

import contextlib
import importlib.util
import io
import json
import random
import sys

import numpy as np
import pytest
import torch

from graders.assignments.cs224n_a4.span_corruption import checks, mistakes, student_side
from graders.assignments.cs224n_a4.span_corruption.mistakes import LAYOUT_MISTAKES, named
from graders.assignments.cs224n_a4.span_corruption.reader import Reader
from graders.checks.inputs import PUBLIC, Inputs
from graders.checks.run import surroundings
from graders.checks.score import Score
from graders.checks.verdict import verdict
from graders.errors import StudentRaised
from graders.model import Check
from graders.registry.discovery import ASSIGNMENTS
from tests.conftest import replaced
from tests.console import ROOT
from tests.graders.assignments.answering import Answering
from tests.planted import examples_of

FOLDER = ASSIGNMENTS / "cs224n_a4"
VERDICTS = ROOT / "tests" / "verdicts" / "cs224n-a4.json"
STANFORD = {"sequence_length": "block+1", "end_marker": "none", "length_limit": "7/8"}
XCS = {"sequence_length": "block", "end_marker": "required", "length_limit": "3/4"}


def module_from(file, name):
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class StudentHere(Answering):
    """Student code that runs in this process: right for files of ours only."""

    def __init__(self, file):
        self.dataset = module_from(file, "dataset")
        self.folder = str(file.parent)

    def answer(self, function, /, *, seed, **values):
        random.seed(seed)
        np.random.seed(seed)
        torch.default_generator.manual_seed(seed)  # the CPU's: for a GPU, the stack is kept
        sys.modules["dataset"] = self.dataset
        sys.path.insert(0, self.folder)  # as in the sandbox
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                return getattr(student_side, function)(**values)
        except Exception as error:
            raise StudentRaised(str(error)) from error
        finally:
            sys.path.remove(self.folder)
            del sys.modules["dataset"]


def reader_of(file, settings=STANFORD, draw=PUBLIC):
    return Reader(StudentHere(file), settings, Inputs(draw), {})


def example(name, draw=PUBLIC):
    return reader_of(examples_of("cs224n-a4") / name / "src" / "dataset.py", draw=draw)


CHECKS = {
    name.removeprefix("test_"): check
    for name, check in vars(checks).items()
    if name.startswith("test_")
}


def result_of(name, reader):
    """What one check says."""
    with surroundings(FOLDER):
        return _result(CHECKS[name], reader)


def results(reader):
    """What every check says, by its name."""
    return {name: result_of(name, reader) for name in CHECKS}


def _result(function, reader):
    score, problem = Score(), None
    fixtures = {"reader": reader, "score": score}
    parameters = function.__code__.co_varnames[: function.__code__.co_argcount]
    try:
        function(**{name: fixtures[name] for name in parameters})
    except Exception as error:  # noqa: BLE001  as the plugin does
        problem = error
    return verdict(Check(function.__name__, function.__doc__, "span-corruption"), problem, score)


def broken(reader):
    return sorted(name for name, result in results(reader).items() if result.status != "passed")


def written(tmp_path, *changes, base="right-uniform-content"):
    """The reader of a planted dataset with these replacements in it."""
    text = (examples_of("cs224n-a4") / base / "src" / "dataset.py").read_text(encoding="utf-8")
    (tmp_path / "dataset.py").write_text(replaced(text, *changes), encoding="utf-8")
    return reader_of(tmp_path / "dataset.py")


# ---------------------------------------------------------------- mistakes


TABLES = [table for name, table in vars(mistakes).items() if name.endswith("_MISTAKES")]
EVERY = [*TABLES, mistakes.UNREACHED, mistakes.OUTSIDE]
NAMED_HERE = {"pad-for-mask", "end-mask-missing"}  # below, in a layout that no example has


def test_every_other_mistake_is_named_to_a_planted_example():
    """`validate --frozen` holds each example to these hints."""
    frozen = json.loads(VERDICTS.read_text(encoding="utf-8"))
    hints = {check["hint"] for checks in frozen.values() for check in checks.values()}
    for mistake in (
        mistake for table in EVERY for mistake in table if mistake.id not in NAMED_HERE
    ):
        sentence = str(mistake.hint)[1:-1]  # as it stands inside a longer hint
        assert any(sentence in hint for hint in hints), mistake.id


def test_pads_for_masks_are_named(tmp_path):
    marks = ("prefix + self.MASK_CHAR + suffix + self.MASK_CHAR", "prefix + P + suffix + P")
    reader = written(
        tmp_path, marks, ("        text = ", "        P = self.PAD_CHAR\n        text = ")
    )
    assert named(LAYOUT_MISTAKES, reader.small(15)).id == "pad-for-mask"


def test_missing_end_mask_is_named():
    reader = reader_of(examples_of("cs224n-a4") / "right-start-first" / "src" / "dataset.py", XCS)
    reading = reader.read(reader.documents.small_block(15))
    assert named(LAYOUT_MISTAKES, reading).id == "end-mask-missing"


def test_right_draws_show_no_mistake():
    reader = example("right-random-window")
    reading = reader.read(reader.documents.many)
    assert [named(table, reading) for table in TABLES[:5]] == [None] * 5


# ---------------------------------------------------------------- checks


@pytest.mark.parametrize("lengths", ["length == 50", "length > 60"])
def test_exceptions_at_some_lengths_do_not_cost_the_lengths(tmp_path, lengths):
    crash = ("        prefix = ", f"        if {lengths}:\n            1 / 0\n        prefix = ")
    assert broken(written(tmp_path, crash)) == ["items_are_int64_tensors"]


def test_few_items_say_nothing_about_the_content(tmp_path):
    crash = (
        "        prefix = ",
        "        if random.random() < .99:\n            1 / 0\n        prefix = ",
    )
    assert "Too few items" in result_of("content_length_varies", written(tmp_path, crash)).message


def test_rarely_lost_character_costs_half_a_check_or_two(tmp_path):
    lost = "        if random.random() < 1 / 100:\n            text = text[1:]\n"
    reader = written(tmp_path, ("        text += self.PAD", f"{lost}        text += self.PAD"))
    fractions = [result.fraction for result in results(reader).values() if result.fraction < 1]
    assert fractions in ([0.5], [0.5, 0.5])


def test_longer_x_does_not_cost_the_targets(tmp_path):
    assert broken(written(tmp_path, ("text[:-1]", "text"))) == ["items_have_block_length"]


def test_index_beyond_the_end_costs_no_lengths(tmp_path):
    reader = written(tmp_path, ("self.data[idx]", "self.data[idx + 1]"))
    assert broken(reader) == ["index_respected", "items_are_int64_tensors"]


def test_generator_of_the_dataset_s_own_is_right(tmp_path):
    """A new dataset would draw the same again, so only one is read."""
    change = (
        "        self.block_size",
        "        self.rng = random.Random(1)\n        self.block_size",
    )
    assert broken(written(tmp_path, ("random.randint", "self.rng.randint"), change)) == []


def test_hint_and_counterexample_reach_the_student():
    result = result_of("parts_are_a_piece", example("wrong-content-in-place"))
    assert "prefix ⁇ content ⁇ suffix" in result.hint
    rows = dict(result.counterexample)
    assert (len(rows["document"]), rows["block size"]) == (7, "9")  # as small as can be
    assert {"actual", "expected"} <= set(rows)


@pytest.mark.parametrize(
    ("instead", "expected", "came"),
    [
        ("return {'x': 1}", "a pair (x, y) of int64", "dict"),
        ("raise KeyError('zz')", "", "KeyError"),
    ],
)
def test_items_that_cannot_be_read_are_shown(tmp_path, instead, expected, came):
    text = (examples_of("cs224n-a4") / "correct-plain" / "src" / "dataset.py").read_text()
    file = tmp_path / "dataset.py"
    file.write_text(text.replace("return ids[:-1], ids[1:]", instead, 1))
    result = result_of("documents_are_corrupted", reader_of(file))
    assert result.status == "failed"
    assert expected in result.expected
    assert came in result.actual + result.message


def test_tiny_documents_cost_nothing():
    result = result_of("tiny_documents", example("wrong-no-shift"))  # randint(1, 0) raises
    assert result.status == "passed"
    assert "No points deducted" in result.message


# ---------------------------------------------------------------- editions of the handout


EDITION = """
from reference.data.corruption import CharCorruptionDataset as Reference
from reference.data.edition import Edition


class CharCorruptionDataset(Reference):
    def __init__(self, data, block_size):
        super().__init__(data, block_size, Edition({sequence_length!r}, {end_marker!r},
                                                   {length_limit!r}))
"""
LENIENT = {"sequence_length": "block", "end_marker": "optional", "length_limit": "7/8"}


@pytest.fixture
def reference(tmp_path):
    """The file of the reference for these settings."""

    def write(settings):
        file = tmp_path / "dataset.py"
        file.write_text(EDITION.format(**settings))
        return file

    return write


@pytest.mark.parametrize("settings", [STANFORD, XCS, LENIENT], ids=["stanford", "xcs", "lenient"])
def test_reference_is_right_in_its_edition(reference, settings):
    assert broken(reader_of(reference(settings), settings)) == []


def test_editions_are_told_apart(reference):
    lost = set(broken(reader_of(reference(XCS))))
    assert {"items_have_block_length", "masks_then_pads"} <= lost
