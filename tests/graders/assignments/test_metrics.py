import dataclasses
import math

import pytest

from tests.graders.assignments.conftest import lines

NOP_DEV, NOP_TEST = "vanilla.nopretrain.dev.predictions", "vanilla.nopretrain.test.predictions"
DEV, TEST = "vanilla.pretrain.dev.predictions", "vanilla.pretrain.test.predictions"
ROPE_DEV, ROPE_TEST = "rope.pretrain.dev.predictions", "rope.pretrain.test.predictions"
FILE = {
    "nopretrain_dev": NOP_DEV,
    "nopretrain_test": NOP_TEST,
    "pretrain_dev": DEV,
    "pretrain_test": TEST,
    "rope_test": ROPE_TEST,
}


@pytest.mark.parametrize("check", FILE)
def test_missing_file_fails_and_is_named(judge, check):
    result = judge(check, {})
    assert result.status == "failed"
    assert FILE[check] in result.message


@pytest.mark.parametrize(
    ("check", "k", "fraction"),
    [
        ("pretrain_dev", 9, 1.0),  # 15%: at the threshold is full
        ("pretrain_dev", 8, 5 / 6),
        ("pretrain_dev", 6, 0.5),
        ("pretrain_dev", 3, 0.0),
        ("pretrain_dev", 0, 0.0),
        ("rope_test", 18, 1.0),  # 30%
        ("rope_test", 17, 11 / 12),
        ("rope_test", 12, 0.5),
        ("rope_test", 6, 0.0),
        ("nopretrain_dev", 5, 1.0),
        ("nopretrain_dev", 6, 0.0),  # 10%
        ("nopretrain_test", 0, 1.0),
        ("nopretrain_test", 6, 0.0),
    ],
)
def test_points_follow_the_stated_curve(judge, world, predict, check, k, fraction):
    gold = world.dev if check.endswith("dev") else world.test
    result = judge(check, {FILE[check]: lines(predict(gold, k))})
    assert math.isclose(result.fraction, fraction)
    assert f"{k} of 60 = {100 * k / 60:.1f}% (95% interval" in result.message


@pytest.mark.parametrize(
    ("dev", "test", "status"),
    [
        (20, 20, "passed"),
        (20, 40, "passed"),
        (20, 12, "passed"),  # lower, but chance does this
        (40, 15, "failed"),
        (20, 3, "failed"),  # no better than London for everybody
        (None, 8, "passed"),  # without dev, near the threshold
        (None, 3, "failed"),
        (60, 15, "passed"),  # dev answers say nothing about the model
    ],
)
def test_test_accuracy_is_compared_with_dev(judge, world, predict, dev, test, status):
    files = {TEST: lines(predict(world.test, test))}
    if dev is not None:
        files[DEV] = lines(predict(world.dev, dev, seed=1))
    assert judge("pretrain_test", files).status == status


@pytest.mark.parametrize(("shared", "loser"), [(15, "rope_test"), (24, "pretrain_test")])
def test_equal_files_of_two_models_cost_one_of_them(judge, world, predict, shared, loser):
    files = {
        DEV: lines(predict(world.dev, 15)),
        ROPE_DEV: lines(predict(world.dev, 24, seed=1)),
        TEST: lines(predict(world.test, shared)),
        ROPE_TEST: lines(predict(world.test, shared)),
    }
    verdicts = {check: judge(check, files) for check in ("rope_test", "pretrain_test")}
    copies = [check for check, result in verdicts.items() if "two models" in result.message.lower()]
    assert copies == [loser]


@pytest.mark.parametrize(("write", "case"), [(str.lower, "lower case"), (str.upper, "upper case")])
def test_places_in_another_case_are_named(judge, world, write, case):
    result = judge("nopretrain_dev", {NOP_DEV: lines(map(write, world.dev))})
    assert result.status == "failed"
    assert f"in {case}" in result.message
    assert "Capital letters count" in result.hint


def test_one_place_for_everybody_passes_with_a_note(judge):
    result = judge("nopretrain_dev", {NOP_DEV: b"London\n" * 60})
    assert result.status == "passed"
    assert "depends on the name" in result.message


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda place: f"{place} ", "spaces around"),
        (lambda place: f"{place}\u25a1\u25a1", "PAD and MASK"),
        (lambda place: f'"{place}"', "quotes"),
        (lambda place: f"Where was Ada born?\t{place}", "only the place"),
        (lambda place: f"17. {place}", "numbers in front"),
        (lambda place: f"{place}.", "full stops"),
        (str.lower, "capital letters"),
    ],
)
def test_slip_of_writing_is_named(judge, world, predict, change, words):
    predictions = [change(place) for place in predict(world.dev, 20)]
    result = judge("pretrain_dev", {DEV: lines(predictions)})
    assert words in result.hint
    assert "20 of 60" in result.hint


@pytest.mark.parametrize(
    ("lines_in", "words"),
    [
        (["Where was Ada Korn born?"] * 70, "Submit only the predicted places"),
        (["Oslo"] * 80, "questions in birth_places_train.tsv"),
        (["PK\x03\x04"], "checkpoint"),
        ([f"{i} Oslo" for i in range(70)], "begin with numbers"),
        (["Oslo is a town in Norway, with many people and even more hills."] * 70, "log"),
    ],
)
def test_wrong_file_is_recognised(judge, lines_in, words):
    assert words in judge("rope_test", {ROPE_TEST: lines(lines_in)}).hint


@pytest.mark.parametrize("heading", [b"", b"Correct: 92.0 out of 500.0: 18.4%\n"])
def test_course_predictions_are_not_judged_by_the_embedded_world(judge, heading):
    result = judge("pretrain_dev", {DEV: heading + b"London\n" * 500})
    assert (result.status, "--data" in result.message) == ("error", True)


def test_missing_answers_are_our_fault(judge, world):
    blind = dataclasses.replace(world, test=None)
    result = judge("rope_test", {ROPE_TEST: lines(world.test)}, blind)
    assert (result.status, "birth_test.tsv" in result.message) == ("error", True)
    assert judge("rope_test", {}, blind).status == "failed"


def test_notes_say_what_was_dropped(judge, world, predict):
    content = b"\xef\xbb\xbfCorrect: 20 out of 60\r\n" + lines(predict(world.dev, 20))
    result = judge("pretrain_dev", {DEV: content})
    assert result.status == "passed"
    assert "byte-order mark" in result.message
    assert "ignored" in result.message


@pytest.mark.data
@pytest.mark.parametrize(("k", "fraction"), [(75, 1.0), (74, 0.98), (50, 0.5), (25, 0.0)])
def test_course_threshold_is_exact(judge, course, predict, k, fraction):
    result = judge("pretrain_dev", {DEV: lines(predict(course.dev, k))}, course)
    assert math.isclose(result.fraction, fraction)


@pytest.mark.data
@pytest.mark.parametrize(("k", "passed"), [(132, True), (131, False)])
def test_thirty_percent_of_437_is_132(judge, course, predict, k, passed):
    result = judge("rope_test", {ROPE_TEST: lines(predict(course.test, k))}, course)
    assert (result.status == "passed") is passed


@pytest.mark.data
def test_course_dev_file_that_is_the_test_file_is_named(judge, course, predict):
    copied = lines(predict(course.test, 100))
    result = judge("pretrain_dev", {DEV: copied, TEST: copied}, course)
    assert "437 lines" in result.message
    assert f"copy of `{TEST}`" in result.hint


def test_texts_take_the_threshold_from_the_settings(judge, world, predict):
    result = judge("rope_test", {ROPE_TEST: lines(predict(world.test, 12))}, rotary_full_percent=25)
    assert "below 25%" in result.message
    assert result.expected == "at least 25%"
