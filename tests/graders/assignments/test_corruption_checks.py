"""The checks of span corruption on planted datasets, read in this process."""

import contextlib
import importlib.util
import io
import random
import sys

import adapters_corruption
import numpy as np
import pytest
import torch
from a4_content import content_lengths
from a4_corruption_mistakes import LAYOUT_MISTAKES, LENGTH_MISTAKES, SHIFT_MISTAKES, named
from a4_cuts import cuts_of
from a4_length_mistakes import CONTENT_MISTAKES, OUTSIDE, UNREACHED
from a4_part_mistakes import INDEX_MISTAKES, PIECE_MISTAKES
from a4_reader import Reader

from graders.checks.inputs import PUBLIC, Inputs
from graders.checks.run import surroundings
from graders.checks.score import Score
from graders.checks.verdict import verdict
from graders.discovery import ASSIGNMENTS
from graders.errors import StudentRaised
from graders.model import Check
from graders.secret import new_secret
from tests.graders.assignments.answering import Answering
from tests.planted import examples_of

FOLDER = ASSIGNMENTS / "cs224n-a4"
EXAMPLES = examples_of("cs224n-a4")
STANFORD = {"sequence_length": "block+1", "end_marker": "none", "length_limit": "7/8"}
XCS = {"sequence_length": "block", "end_marker": "required", "length_limit": "3/4"}

# Which planted example shows which mistake, told from which draws.
SHIFT = {
    "wrong-no-shift": "no-shift",
    "wrong-x-y-swapped": "swapped",
    "wrong-shifted-backward": "shifted-backward",
    "wrong-rolled-targets": "rolled",
    "wrong-shift-by-two": "shifted-by-two",
    "wrong-targets-hidden": "targets-hidden",
}
LENGTH = {
    "wrong-no-padding": "no-padding",
    "wrong-block-hard-coded": "hard-coded-block",
    "wrong-one-too-long": "one-too-long",
    "wrong-one-too-short": "one-too-short",
}
LAYOUT = {
    "wrong-second-mask-missing": "second-mask-missing",
    "wrong-first-mask-missing": "first-mask-missing",
    "wrong-end-mask": "end-mask",
    "wrong-mask-a-character": "mask-a-character",
    "wrong-pads-in-front": "pads-in-front",
    "wrong-padded-with-masks": "padded-with-masks",
    "wrong-ids-swapped": "ids-swapped",
    "wrong-other-mask": "other-mask",
}
PIECE = {
    "wrong-content-in-place": "order-prefix-content-suffix",
    "wrong-content-first": "order-content-prefix-suffix",
    "wrong-content-then-suffix": "order-content-suffix-prefix",
    "wrong-suffix-first": "order-suffix-prefix-content",
    "wrong-suffix-then-content": "order-suffix-content-prefix",
    "wrong-content-kept": "content-kept",
    "wrong-content-reversed": "content-reversed",
    "wrong-content-shuffled": "content-shuffled",
    "wrong-content-lost": "content-lost",
    "wrong-character-dropped": "character-dropped",
    "wrong-character-doubled": "character-doubled",
    "wrong-masks-together": "marks-together",
    "wrong-mask-first": "mask-first",
}
INDEX = {
    "wrong-always-first": "always-first",
    "wrong-next-document": "next-document",
    "wrong-previous-document": "previous-document",
    "wrong-index-ignored": "random-document",
    "wrong-whole-corpus": "whole-corpus",
    "wrong-previous-reading": "previous-reading",
}
CUTS = {
    "wrong-never-longest": "never-longest",
    "wrong-never-longest-numpy": "never-longest",
    "wrong-never-shortest": "never-shortest",
    "wrong-cut-fixed": "fixed-cut",
    "wrong-limit-three-quarters": "limit-three-quarters",
    "wrong-limit-half": "limit-half",
}
LIMITS = {
    "wrong-cut-too-short": "too-short",
    "wrong-never-cut": "never-cut",
    "wrong-limit-hard-coded": "limit-hard-coded",
    "wrong-limit-rounded-up": "limit-rounded-up",
    "wrong-limit-is-block": "limit-is-block",
    "wrong-limit-nearly-block": "limit-nearly-block",
}
CONTENT = {
    "wrong-content-of-block": "content-ignores-cut",
    "wrong-content-fixed": "content-fixed",
    "wrong-content-nearly-fixed": "content-nearly-fixed",
}
RIGHT = ["encoded-corpus", "gaussian-content", "masked-end", "numpy-corruption", "random-window"]
RIGHT += ["recursive-padding", "rejected-lengths", "start-first", "torch-corruption"]
RIGHT += ["stripped-document", "two-lengths", "uniform-content"]


def module_from(file, name):
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CHECKS = module_from(FOLDER / "test_span_corruption.py", "a4_checks_span_corruption")


class StudentHere(Answering):
    """Student code that runs in this process: right for files of ours only."""

    def __init__(self, file):
        self.dataset = module_from(file, "dataset")

    def answer(self, function, /, *, seed, **values):
        random.seed(seed)
        np.random.seed(seed)
        torch.manual_seed(seed)
        sys.modules["dataset"] = self.dataset
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                return getattr(adapters_corruption, function)(**values)
        except Exception as error:
            raise StudentRaised(str(error)) from error
        finally:
            del sys.modules["dataset"]


def reader_of(file, settings=STANFORD, draw=PUBLIC):
    return Reader(StudentHere(file), settings, Inputs(draw), {})


def example(name, draw=PUBLIC):
    return reader_of(EXAMPLES / name / "src" / "dataset.py", draw=draw)


def results(reader):
    """What every check says, by its id."""
    said = {}
    with surroundings(FOLDER):
        for name, function in vars(CHECKS).items():
            if name.startswith("test_"):
                said[name] = _result(function, reader)
    return said


def _result(function, reader):
    score, problem = Score(), None
    known = {"reader": reader, "score": score}
    wanted = function.__code__.co_varnames[: function.__code__.co_argcount]
    try:
        function(**{name: known[name] for name in wanted})
    except Exception as error:  # noqa: BLE001  as the plugin does
        problem = error
    return verdict(Check(function.__name__, function.__doc__, "span-corruption"), problem, score)


def broken(reader):
    return sorted(name for name, result in results(reader).items() if result.status != "passed")


def written(tmp_path, *changes, base="right-uniform-content"):
    """The reader of a planted dataset with these replacements in it."""
    text = (EXAMPLES / base / "src" / "dataset.py").read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    (tmp_path / "dataset.py").write_text(text, encoding="utf-8")
    return reader_of(tmp_path / "dataset.py")


# ---------------------------------------------------------------- mistakes


SMALL = [(SHIFT_MISTAKES, SHIFT), (LENGTH_MISTAKES, LENGTH), (LAYOUT_MISTAKES, LAYOUT)]
SMALL += [(PIECE_MISTAKES, PIECE)]


@pytest.mark.parametrize(
    ("known", "name", "mistake"),
    [(known, *each) for known, planted in SMALL for each in planted.items()],
)
def test_mistake_in_sequences_is_named(known, name, mistake):
    reader = example(name)
    assert named(known, reader.read(reader.documents.small_block(15))).id == mistake


def test_pads_inside_are_named():
    reader = example("wrong-short-document-padded")
    reading = reader.read(reader.documents.short_document("ABCDEFGHIJ"))
    assert named(LAYOUT_MISTAKES, reading).id == "pads-inside"


def test_pads_for_masks_are_named(tmp_path):
    marks = ("prefix + self.MASK_CHAR + suffix + self.MASK_CHAR", "prefix + P + suffix + P")
    reader = written(
        tmp_path, marks, ("        text = ", "        P = self.PAD_CHAR\n        text = ")
    )
    assert named(LAYOUT_MISTAKES, reader.small(15)).id == "pad-for-mask"


def test_changed_whitespace_is_named():
    reader = example("wrong-whitespace-collapsed")
    reading = reader.read(reader.documents.whitespace())
    assert named(PIECE_MISTAKES, reading).id == "whitespace-changed"


def test_first_documents_are_named():
    reader = example("wrong-index-modulo")
    reading = reader.read(reader.documents.thousands)
    assert named(INDEX_MISTAKES, reading).id == "first-documents"


def test_missing_end_mask_is_named():
    reader = reader_of(EXAMPLES / "right-start-first" / "src" / "dataset.py", XCS)
    reading = reader.read(reader.documents.small_block(15))
    assert named(LAYOUT_MISTAKES, reading).id == "end-mask-missing"


@pytest.mark.parametrize(("name", "mistake"), INDEX.items())
def test_index_mistake_is_named(name, mistake):
    reader = example(name)
    assert named(INDEX_MISTAKES, reader.read(reader.documents.many)).id == mistake


@pytest.mark.parametrize(
    ("known", "name", "mistake"),
    [(UNREACHED, *each) for each in CUTS.items()] + [(OUTSIDE, *each) for each in LIMITS.items()],
)
def test_mistake_in_cuts_is_named(known, name, mistake):
    assert named(known, cuts_of(example(name))).id == mistake


@pytest.mark.parametrize(("name", "mistake"), CONTENT.items())
def test_content_mistake_is_named(name, mistake):
    assert named(CONTENT_MISTAKES, content_lengths(example(name))).id == mistake


def test_every_mistake_has_a_test():
    tables = [
        *SMALL,
        (INDEX_MISTAKES, INDEX),
        (UNREACHED, {**CUTS, "": "limit-hard-coded"}),
        (OUTSIDE, LIMITS),
        (CONTENT_MISTAKES, CONTENT),
    ]
    for known, planted in tables:
        others = {"pads-inside", "end-mask-missing", "pad-for-mask"}
        others = others if known is LAYOUT_MISTAKES else set()
        others |= {"whitespace-changed"} if known is PIECE_MISTAKES else set()
        others |= {"first-documents"} if known is INDEX_MISTAKES else set()
        assert {mistake.id for mistake in known} == set(planted.values()) | others


def test_right_draws_show_no_mistake():
    reader = example("right-random-window")
    reading = reader.read(reader.documents.many)
    assert [named(known, reading) for known, _ in [*SMALL, (INDEX_MISTAKES, INDEX)]] == [None] * 5


# ---------------------------------------------------------------- checks


@pytest.mark.parametrize("name", RIGHT)
def test_right_solution_loses_nothing(name):
    """In public, and under a secret that is drawn anew and printed where it does."""
    secret = new_secret()
    for draw in (PUBLIC, secret):
        assert broken(example(f"right-{name}", draw)) == [], hex(draw)


ONE_CHECK = {
    "wrong-rare-negative-length": "test_parts_are_a_piece",
    "wrong-character-doubled": "test_parts_are_a_piece",
    "wrong-character-dropped": "test_parts_are_a_piece",
    "wrong-content-kept": "test_parts_are_a_piece",
    "wrong-vocabulary-order": "test_parts_are_a_piece",
    "wrong-empty-cut": "test_cut_within_limits",
    "wrong-limit-hard-coded": "test_cut_within_limits",
    "wrong-other-mask": "test_masks_then_pads",
    "wrong-ids-swapped": "test_masks_then_pads",
    "wrong-padded-with-masks": "test_masks_then_pads",
    "wrong-first-mask-missing": "test_masks_then_pads",
    "wrong-second-mask-missing": "test_masks_then_pads",
    "wrong-mask-a-character": "test_masks_then_pads",
    "wrong-cached-items": "test_draws_differ",
    "wrong-next-document": "test_index_respected",
    "wrong-rare-error": "test_items_are_int64_tensors",
    "wrong-index-modulo": "test_index_respected",
    "wrong-whitespace-collapsed": "test_parts_are_a_piece",
    "wrong-content-nearly-fixed": "test_content_length_varies",
}


@pytest.mark.parametrize(("name", "check"), ONE_CHECK.items())
def test_one_mistake_fails_one_check(name, check):
    assert broken(example(name)) == [check]


def test_exceptions_at_one_length_do_not_cost_the_lengths(tmp_path):
    crash = ("        prefix = ", "        if length == 50:\n            1 / 0\n        prefix = ")
    assert broken(written(tmp_path, crash)) == ["test_items_are_int64_tensors"]


def test_exceptions_in_long_cuts_do_not_cost_the_lengths(tmp_path):
    crash = ("        prefix = ", "        if length > 60:\n            1 / 0\n        prefix = ")
    assert broken(written(tmp_path, crash)) == ["test_items_are_int64_tensors"]


def test_few_items_say_nothing_about_the_content(tmp_path):
    crash = (
        "        prefix = ",
        "        if random.random() < .99:\n            1 / 0\n        prefix = ",
    )
    said = results(written(tmp_path, crash))["test_content_length_varies"]
    assert "Too few items" in said.message


@pytest.mark.parametrize("rare", [300, 3_000])
def test_rarely_lost_character_costs_at_most_half_a_check(tmp_path, rare):
    lost = f"        if random.random() < 1 / {rare}:\n            text = text[1:]\n"
    said = results(
        written(tmp_path, ("        text += self.PAD", f"{lost}        text += self.PAD"))
    )
    assert all(result.fraction >= 0.5 for result in said.values())
    assert sum(result.fraction < 1 for result in said.values()) <= 2


def test_longer_x_does_not_cost_the_targets(tmp_path):
    assert broken(written(tmp_path, ("text[:-1]", "text"))) == ["test_items_have_block_length"]


def test_index_beyond_the_end_costs_no_lengths(tmp_path):
    reader = written(tmp_path, ("self.data[idx]", "self.data[idx + 1]"))
    assert broken(reader) == ["test_index_respected", "test_items_are_int64_tensors"]


@pytest.mark.parametrize("name", ["wrong-rare-negative-length", "wrong-empty-cut"])
def test_rare_fault_costs_half_of_its_check(name):
    said = results(example(name))[ONE_CHECK[name]]
    assert (said.status, said.fraction) == ("partial", 0.5)
    assert "costs only half" in said.message


@pytest.mark.parametrize("name", ["wrong-limit-hard-coded", "wrong-character-doubled"])
def test_systematic_fault_costs_its_check(name):
    assert results(example(name))[ONE_CHECK[name]].fraction == 0.0


def test_generator_of_the_dataset_s_own_is_right(tmp_path):
    """A new dataset would draw the same again, so only one is read."""
    own = (
        "        self.block_size",
        "        self.rng = random.Random(1)\n        self.block_size",
    )
    changes = [("random.randint", "self.rng.randint")] * 3
    assert broken(written(tmp_path, *changes, own)) == []


@pytest.mark.parametrize(
    ("name", "checks"),
    [
        ("wrong-same-draw", {"test_draws_differ"}),
        ("wrong-cached-items", {"test_draws_differ"}),
        ("wrong-data-edited", {"test_reading_changes_nothing", "test_draws_differ"}),
        ("wrong-float-ids", {"test_items_are_int64_tensors"}),
        ("wrong-lists-of-ids", {"test_items_are_int64_tensors"}),
        ("wrong-rare-error", {"test_items_are_int64_tensors"}),
        ("wrong-few-lengths", {"test_every_cut_length_reached"}),
        ("wrong-content-of-document", {"test_content_is_a_quarter"}),
        ("wrong-never-longest", {"test_every_cut_length_reached"}),
        ("wrong-mean-fifth", {"test_content_is_a_quarter"}),
    ],
)
def test_wrong_solution_fails_its_check(name, checks):
    assert checks <= set(broken(example(name)))


def test_hint_and_counterexample_reach_the_student():
    result = results(example("wrong-content-in-place"))["test_parts_are_a_piece"]
    assert "prefix ⁇ content ⁇ suffix" in result.hint
    rows = dict(result.counterexample)
    assert (len(rows["document"]), rows["block size"]) == (7, "9")  # as small as can be
    assert {"actual", "expected"} <= set(rows)


@pytest.mark.parametrize(
    ("instead", "came"), [("return {'x': 1}", "dict"), ("raise KeyError('zz')", "KeyError")]
)
def test_items_that_cannot_be_read_are_shown(tmp_path, instead, came):
    text = (EXAMPLES / "correct-plain" / "src" / "dataset.py").read_text()
    file = tmp_path / "dataset.py"
    file.write_text(text.replace("return ids[:-1], ids[1:]", instead, 1))
    said = results(reader_of(file))["test_documents_are_corrupted"]
    assert said.status == "failed"
    assert "a pair (x, y) of int64" in said.expected
    assert came in said.actual


def test_tiny_documents_cost_nothing():
    result = results(example("wrong-no-shift"))["test_tiny_documents"]  # randint(1, 0) raises
    assert result.status == "passed"
    assert "costs nothing" in result.message
