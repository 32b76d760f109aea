"""Predictions that no submitted model gives keep their points, and a person confirms them."""

import pytest

from graders.assignments.cs224n_a4.hidden.predictions.origin import RULES, signs_of_extraction
from graders.assignments.cs224n_a4.hidden.predictions.places import Scored
from graders.assignments.cs224n_a4.hidden.predictions.submitted import choice
from graders.data.birthplaces import read_data
from graders.errors import UsageError
from graders.registry.discovery import ASSIGNMENTS
from tests.graders.assignments.conftest import lines
from tests.planted import examples_of

DEV = "vanilla.pretrain.dev.predictions"
ROPE_TEST = "rope.pretrain.test.predictions"
ASK = {"missing_checkpoints": "review", "doubtful_predictions": "review"}
SOLUTION = ASSIGNMENTS / "cs224n_a4" / "solution"
SIGN = "a model does not know which of its answers are wrong"


def extracted():
    return (examples_of("cs224n-a4") / "unproven-predictions-extracted" / ROPE_TEST).read_bytes()


@pytest.mark.parametrize(("k", "fraction"), [(20, 1.0), (6, 0.5)])
def test_missing_checkpoint_asks_and_costs_nothing(judge, world, predict, k, fraction):
    result = judge("pretrain_dev", {DEV: lines(predict(world.dev, k))}, **ASK)
    assert result.status == "needs_review"
    assert result.fraction == fraction
    assert "`vanilla.finetune.params` is missing" in result.message


def test_nobody_is_asked_about_no_points(judge, world, predict):
    result = judge("pretrain_dev", {DEV: lines(predict(world.dev, 2))}, **ASK)
    assert result.status == "failed"


@pytest.mark.parametrize(("setting", "status"), [("accept", "passed"), ("none", "failed")])
def test_setting_decides_about_missing_checkpoints(judge, world, predict, setting, status):
    changed = {**ASK, "missing_checkpoints": setting}
    result = judge("pretrain_dev", {DEV: lines(predict(world.dev, 20))}, **changed)
    assert result.status == status


def test_unknown_setting_is_named():
    with pytest.raises(UsageError, match="is 'maybe'; choose from `accept`, `review`"):
        choice({"missing_checkpoints": "maybe"}, "missing_checkpoints", RULES)


@pytest.mark.parametrize("missing", ["accept", "review"])
def test_extracted_predictions_are_named(judge, missing):
    changed = {**ASK, "missing_checkpoints": missing}
    result = judge("rope_test", {ROPE_TEST: extracted()}, **changed)
    assert (result.status, result.fraction) == ("needs_review", 1.0)
    assert SIGN in result.message


def test_signs_alone_take_no_points(judge):
    changed = {"doubtful_predictions": "none"}
    result = judge("rope_test", {ROPE_TEST: extracted()}, **changed)
    assert (result.status, result.fraction) == ("needs_review", 1.0)


@pytest.mark.parametrize("file", sorted(SOLUTION.glob("*.predictions")), ids=lambda file: file.name)
def test_trained_models_show_no_signs(world, file):
    part = "dev" if ".dev." in file.name else "test"
    predictions = tuple(file.read_text().splitlines())
    gold = world.dev if part == "dev" else world.test
    assert signs_of_extraction(Scored(file.name, predictions, gold, ()), world, part) == ()


def test_places_no_training_question_has_are_a_sign(corpus):
    signs = corpus(lambda i: f"Town {i}", lambda i: "Paris")
    assert any("not places of the training file" in sign for sign in signs)


def test_wrong_answers_from_the_document_are_a_sign(corpus):
    signs = corpus(lambda i: "Rome" if i < 15 else "Bonn", lambda i: "Paris")
    assert any("wrong answers appear verbatim" in sign for sign in signs)


def test_questions_of_another_edition_give_no_sign(world):
    assert signs_of_extraction(Scored("x", ("London",), ("London",), ()), world, "dev") == ()


@pytest.fixture
def corpus(tmp_path):
    """Forty persons whose document names one place beside the right one; the signs of saying it."""

    def make(named, right):
        people = [f"Person {i} Xy" for i in range(40)]
        wiki = (
            f"{who}, once of {named(i)}, was born in {right(i)}." for i, who in enumerate(people)
        )
        (tmp_path / "wiki.txt").write_text("\n".join(wiki))
        rows = "".join(f"Where was {who} born?\t{right(i)}\n" for i, who in enumerate(people))
        train = rows + "Where was Ada Xy born?\tRome\n"
        (tmp_path / "birth_places_train.tsv").write_text(train)
        (tmp_path / "birth_dev.tsv").write_text(rows)
        (tmp_path / "birth_test_inputs.tsv").write_text("Where was Person 0 Xy born?\n")
        data = read_data(tmp_path)
        predictions = (*map(named, range(39)), "Oslo")
        return signs_of_extraction(Scored("f", predictions, data.dev, ()), data, "dev")

    return make
