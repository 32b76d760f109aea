"""Notes in addition to points: borderline, chance, collapse, gaps and copies."""

import itertools

import pytest

from tests.graders.assignments.conftest import lines

MODELS = ("vanilla.nopretrain", "vanilla.pretrain", "rope.pretrain")
NOP, VANILLA, ROPE = MODELS
SIX = [(model, part) for model in MODELS for part in ("dev", "test")]
CHECK = {NOP: "nopretrain_test", VANILLA: "pretrain_test", ROPE: "rope_test"}
PAIRS = list(itertools.combinations(SIX, 2))
EVERY = ("nopretrain_dev", "nopretrain_test", "pretrain_dev", "pretrain_test", "rope_test")


def name(model, part):
    return f"{model}.{part}.predictions"


@pytest.fixture
def six(world, predict):
    """Six files as a right submission has them."""
    right = {NOP: 2, VANILLA: 15, ROPE: 22}
    return {
        name(model, part): lines(
            predict(world.dev if part == "dev" else world.test, right[model], seed=seed)
        )
        for seed, (model, part) in enumerate(SIX)
    }


@pytest.mark.parametrize("check", EVERY)
def test_a_right_submission_is_suspected_of_nothing(judge, six, check):
    result = judge(check, six)
    assert result.status == "passed"
    for word in ("copy", "Collapsed", "beyond chance", "begin with", "answers."):
        assert word not in result.message


@pytest.mark.parametrize(
    ("k", "borderline"), [(3, False), (4, True), (9, True), (14, True), (15, False)]
)
def test_borderline_is_said_and_the_plain_rule_decides(judge, world, predict, k, borderline):
    files = {name(VANILLA, "dev"): lines(predict(world.dev, k))}
    result = judge("pretrain_dev", files)
    assert ("the threshold of 15% is within" in result.message) is borderline
    assert (result.status == "passed") is (k >= 9)


def test_borderline_can_earn_full_points(judge, world, predict):
    for k, fraction in ((4, 1.0), (3, 0.0)):
        files = {name(VANILLA, "dev"): lines(predict(world.dev, k))}
        assert judge("pretrain_dev", files, borderline="full").fraction == fraction


@pytest.mark.parametrize(
    ("k", "status"),
    [(4, "needs_review"), (9, "needs_review"), (14, "needs_review"), (20, "passed")],
)
def test_a_person_is_asked_only_where_it_is_borderline(judge, world, predict, k, status):
    files = {name(VANILLA, "dev"): lines(predict(world.dev, k))}
    result = judge("pretrain_dev", files, borderline="review")
    assert result.status == status
    assert ("The course staff decides" in result.message) is (k < 20)
    assert f"{k} of 60" in result.message


@pytest.mark.parametrize(
    ("rule", "status"), [("plain", "failed"), ("full", "passed"), ("review", "needs_review")]
)
def test_the_rule_holds_without_pretraining_too(judge, world, predict, rule, status):
    files = {name(NOP, "dev"): lines(predict(world.dev, 6))}
    assert judge("nopretrain_dev", files, borderline=rule).status == status


def test_a_pretrained_models_file_is_never_borderline(judge, world, predict):
    same = lines(predict(world.dev, 8))
    files = {name(NOP, "dev"): same, name(VANILLA, "dev"): same}
    assert judge("nopretrain_dev", files, borderline="full").status == "failed"


def test_an_unknown_rule_is_our_fault(judge, six):
    result = judge("pretrain_dev", six, borderline="maybe")
    assert result.status == "error"


@pytest.mark.parametrize(("check", "above"), [("nopretrain_test", False), ("rope_test", True)])
def test_chance_is_said_with_its_p(judge, six, check, above):
    message = judge(check, six).message
    assert ("Above chance" in message) is above
    assert ("Not shown to be above chance" in message) is not above
    assert "always answering Coten" in message
    assert "4 of 60 = 6.7% (95% interval" in message
    assert " p = " in message
    assert "level 0.001" in message


def test_p_is_that_of_the_majority_class(judge, world, predict):
    from scipy.stats import binomtest

    files = {name(VANILLA, "dev"): lines(predict(world.dev, 9))}
    p = binomtest(9, 60, world.dev.count("Coten") / 60, "greater").pvalue
    assert f"p = {p:.2g} (exact binomial" in judge("pretrain_dev", files).message


def test_no_better_than_chance_is_said_of_a_failing_file(judge, world, predict):
    files = {name(VANILLA, "test"): lines(predict(world.test, 2))}
    result = judge("pretrain_test", files)
    assert result.status == "failed"
    assert "Not shown to be above chance" in result.message


@pytest.mark.parametrize(
    ("places", "words"),
    [
        (["London"] * 60, "every line says 'London'"),
        (["London"] * 54 + ["Oslo"] * 6, "54 of 60 lines say 'London'"),
        (["Nowhere"] * 60, "every line says 'Nowhere'"),
        (["Coten"] * 40 + ["Oslo"] * 20, "40 of 60 lines say 'Coten'"),
    ],
)
def test_collapse_is_named(judge, places, words):
    message = judge("rope_test", {name(ROPE, "test"): lines(places)}).message
    assert f"Collapsed: {words}" in message


def test_a_common_answer_is_no_collapse(judge, world):
    better = ["London"] * 35 + list(world.test[35:])
    for places in (["Nowhere"] * 40 + ["Oslo"] * 20, ["London"] * 30 + ["Nowhere"] * 30, better):
        files = {name(ROPE, "test"): lines(places)}
        assert "Collapsed" not in judge("rope_test", files).message


@pytest.mark.parametrize(
    ("model", "dev", "test"), [(VANILLA, 15, 40), (ROPE, 15, 40), (ROPE, 45, 18)]
)
def test_a_gap_beyond_chance_is_said_and_costs_nothing(judge, world, predict, model, dev, test):
    files = {
        name(model, "dev"): lines(predict(world.dev, dev)),
        name(model, "test"): lines(predict(world.test, test, seed=1)),
    }
    result = judge(CHECK[model], files)
    assert result.status == "passed"
    assert "differ significantly" in result.message
    assert "two-sided, level 0.001" in result.message


def test_the_gaps_level_is_a_setting(judge, world, predict):
    files = {
        name(ROPE, "dev"): lines(predict(world.dev, 30)),
        name(ROPE, "test"): lines(predict(world.test, 18, seed=1)),
    }
    assert "beyond chance" not in judge("rope_test", files).message
    assert "level 0.1)" in judge("rope_test", files, similar_alpha=0.1).message


def test_a_slip_of_writing_is_no_gap(judge, world, predict):
    files = {
        name(ROPE, "dev"): lines(f"{place} " for place in predict(world.dev, 30)),
        name(ROPE, "test"): lines(predict(world.test, 30, seed=1)),
    }
    assert "beyond chance" not in judge("rope_test", files).message


def test_answers_for_rope_dev_are_flagged(judge, six, world):
    result = judge("rope_test", {**six, name(ROPE, "dev"): lines(world.dev)})
    assert result.status == "passed"
    assert "all 60 lines are correct, so these are the answers" in result.message


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_no_pair_of_equal_files_goes_unsaid(judge, six, pair):
    one, other = (name(*key) for key in pair)
    files = {**six, one: six[other]}
    messages = " ".join(judge(check, files).message for check in EVERY)
    assert any(word in messages for word in ("copy of", "are the same"))
    assert one in messages or other in messages


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_one_place_for_everybody_is_no_copy(judge, six, pair):
    files = {**six, **{name(*key): b"London\n" * 60 for key in pair}}
    messages = " ".join(judge(check, files).message for check in EVERY)
    assert "copy of" not in messages
    assert "are the same" not in messages


@pytest.mark.data
@pytest.mark.parametrize(
    ("model", "other"), [(VANILLA, VANILLA), (ROPE, ROPE), (ROPE, VANILLA), (VANILLA, NOP)]
)
def test_test_file_cut_from_dev_is_named(judge, course, predict, model, other):
    dev = predict(course.dev, 100)
    files = {name(other, "dev"): lines(dev), name(model, "test"): lines(dev[:437])}
    message = judge(CHECK[model], files, course).message
    assert "begin with the same 437 lines" in message
    assert name(other, "dev") in message


@pytest.mark.data
def test_a_dev_file_of_another_model_is_recognised(judge, course, predict):
    dev = lines(predict(course.dev, 100))
    files = {name(ROPE, "test"): dev, name(VANILLA, "dev"): dev}
    assert f"copy of `{name(VANILLA, 'dev')}`" in judge("rope_test", files, course).hint
