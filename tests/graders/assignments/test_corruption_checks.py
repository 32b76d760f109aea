"""The checks of span corruption on planted datasets, read in this process."""

import json

import pytest

from graders.assignments.cs224n_a4.span_corruption import checks, mistakes, student_side
from graders.assignments.cs224n_a4.span_corruption.mistakes import LAYOUT_MISTAKES, named
from graders.assignments.cs224n_a4.span_corruption.reader import Reader
from graders.checks.inputs import Inputs
from graders.checks.run import surroundings
from graders.checks.score import Score
from graders.checks.verdict import verdict
from graders.model import Check
from graders.registry.discovery import ASSIGNMENTS
from tests.conftest import replaced
from tests.console import ROOT
from tests.graders.assignments.answering import InProcess, ask
from tests.planted import examples_of

FOLDER = ASSIGNMENTS / "cs224n_a4"
VERDICTS = ROOT / "tests" / "verdicts" / "cs224n-a4.json"
STANFORD = {"sequence_length": "block+1", "end_marker": "none", "length_limit": "7/8"}
XCS = {"sequence_length": "block", "end_marker": "required", "length_limit": "3/4"}


def source(base):
    """The dataset.py of a planted example."""
    return (examples_of("cs224n-a4") / base / "src" / "dataset.py").read_text(encoding="utf-8")


@pytest.fixture
def read(importable):
    """Writes a dataset.py, and gives its reader."""

    def reader(text, settings=STANFORD):
        importable(dataset=text)
        return Reader(InProcess(student_side), settings, Inputs(), {})

    return reader


@pytest.fixture
def written(read):
    """The reader of a planted dataset with these replacements in it."""
    return lambda *changes: read(replaced(source("right-uniform-content"), *changes))


CHECKS = {
    name.removeprefix("test_"): check
    for name, check in vars(checks).items()
    if name.startswith("test_")
}


@pytest.fixture(autouse=True)
def as_the_plugin_runs_checks():
    with surroundings(FOLDER):
        yield


def result_of(name, reader):
    """What one check says."""
    score, problem = Score(), None
    try:
        ask(CHECKS[name], reader=reader, score=score)
    except Exception as error:  # noqa: BLE001  as the plugin does
        problem = error
    return verdict(Check(name, "", "span-corruption"), problem, score)


def results(reader):
    """What every check says, by its name."""
    return {name: result_of(name, reader) for name in CHECKS}


def broken(reader):
    return sorted(name for name, result in results(reader).items() if result.status != "passed")


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


def test_pads_for_masks_are_named(written):
    marks = ("prefix + self.MASK_CHAR + suffix + self.MASK_CHAR", "prefix + P + suffix + P")
    reader = written(marks, ("        text = ", "        P = self.PAD_CHAR\n        text = "))
    assert named(LAYOUT_MISTAKES, reader.small(15)).id == "pad-for-mask"


def test_missing_end_mask_is_named(read):
    reader = read(source("right-start-first"), XCS)
    reading = reader.read(reader.documents.small_block(15))
    assert named(LAYOUT_MISTAKES, reading).id == "end-mask-missing"


def test_right_draws_show_no_mistake(read):
    reader = read(source("right-random-window"))
    reading = reader.read(reader.documents.many)
    assert [named(table, reading) for table in TABLES[:5]] == [None] * 5


# ---------------------------------------------------------------- checks


@pytest.mark.parametrize("lengths", ["length == 50", "length > 60"])
def test_exceptions_at_some_lengths_do_not_cost_the_lengths(written, lengths):
    crash = ("        prefix = ", f"        if {lengths}:\n            1 / 0\n        prefix = ")
    assert broken(written(crash)) == ["items_are_int64_tensors"]


def test_few_items_say_nothing_about_the_content(written):
    crash = (
        "        prefix = ",
        "        if random.random() < .99:\n            1 / 0\n        prefix = ",
    )
    assert "Too few items" in result_of("content_length_varies", written(crash)).message


def test_rarely_lost_character_costs_half_a_check_or_two(written):
    lost = "        if random.random() < 1 / 100:\n            text = text[1:]\n"
    reader = written(("        text += self.PAD", f"{lost}        text += self.PAD"))
    fractions = [result.fraction for result in results(reader).values() if result.fraction < 1]
    assert fractions in ([0.5], [0.5, 0.5])


def test_longer_x_does_not_cost_the_targets(written):
    assert broken(written(("text[:-1]", "text"))) == ["items_have_block_length"]


def test_index_beyond_the_end_costs_no_lengths(written):
    reader = written(("self.data[idx]", "self.data[idx + 1]"))
    assert broken(reader) == ["index_respected", "items_are_int64_tensors"]


def test_generator_of_the_dataset_s_own_is_right(written):
    """A new dataset would draw the same again, so only one is read."""
    change = (
        "        self.block_size",
        "        self.rng = random.Random(1)\n        self.block_size",
    )
    assert broken(written(("random.randint", "self.rng.randint"), change)) == []


def test_hint_and_counterexample_reach_the_student(read):
    result = result_of("parts_are_a_piece", read(source("wrong-content-in-place")))
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
def test_items_that_cannot_be_read_are_shown(read, instead, expected, came):
    text = replaced(source("correct-plain"), ("return ids[:-1], ids[1:]", instead))
    result = result_of("documents_are_corrupted", read(text))
    assert result.status == "failed"
    assert expected in result.expected
    assert came in result.actual + result.message


def test_tiny_documents_cost_nothing(read):
    result = result_of("tiny_documents", read(source("wrong-no-shift")))  # randint(1, 0) raises
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


@pytest.mark.parametrize("settings", [STANFORD, XCS, LENIENT], ids=["stanford", "xcs", "lenient"])
def test_reference_is_right_in_its_edition(read, settings):
    assert broken(read(EDITION.format(**settings), settings)) == []


def test_editions_are_told_apart(read):
    lost = set(broken(read(EDITION.format(**XCS))))
    assert {"items_have_block_length", "masks_then_pads"} <= lost
