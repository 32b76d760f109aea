"""Whether predictions come from the submitted weights, and what is said and asked if not."""

import pytest
import torch

from graders.assignments.cs224n_a4.hidden.checkpoints.submitted import ROPE_FINETUNE
from graders.assignments.cs224n_a4.hidden.checkpoints.weights import (
    Weights,
    predictions_print,
    weights_print,
)
from graders.assignments.cs224n_a4.hidden.predictions.origin import Origin
from graders.assignments.cs224n_a4.hidden.predictions.places import Scored
from graders.checks.compare import CheckFailed
from graders.checks.inputs import Inputs
from graders.checks.score import Score
from graders.data.birthplaces import DEV
from reference.models.gpt import GPT
from reference.models.prediction import predict_places, read_prompts
from tests.graders.assignments.checkpoints.conftest import MODELS, unfenced

MODEL, FINETUNE, ROPE = "vanilla.model.params", "vanilla.finetune.params", "rope.finetune.params"


def altered(raw, count):
    lines = raw.decode().splitlines()
    return "".join(f"{line}x\n" if i < count else f"{line}\n" for i, line in enumerate(lines))


@pytest.mark.parametrize("shape", [(1, 1), (45, 1, 256), (45, 0), ()])
def test_weights_that_no_model_can_have_confirm_nothing(shape, judge, world, predict, saved):
    predictions = "\n".join(predict(world.dev, 20)).encode()
    misfit = saved({"tok_emb.weight": torch.ones(shape)})
    files = {"vanilla.pretrain.dev.predictions": predictions, FINETUNE: misfit}
    result = judge("pretrain_dev", files, doubtful_predictions="review")
    assert (result.status, result.fraction) == ("needs_review", 1.0)
    assert "has the wrong shape" in result.message


@pytest.mark.parametrize(("count", "status"), [(1, "passed"), (2, "needs_review")])
def test_98_percent_must_agree(count, status, judge, right_files):
    name = "rope.pretrain.dev.predictions"
    files = {**right_files, name: altered(right_files[name], count).encode()}
    result = judge("rope_finetune_predictions", files)
    assert result.status == status
    assert f"{60 - count} of 60 rows of `{name}`" in result.message


def test_rows_that_differ_are_shown(judge, right_files):
    name = "vanilla.pretrain.test.predictions"
    files = {**right_files, name: altered(right_files[name], 7).encode()}
    result = judge("vanilla_finetune_predictions", files)
    (label, text), *other_rows = result.counterexample
    assert label.startswith("test 1: Where was ")
    assert text.count("x'") == 1
    assert len(other_rows) == 4
    assert "53 of 60" in result.actual


def test_swapped_files_are_named(judge, right_files):
    files = {**right_files, MODEL: right_files[FINETUNE], FINETUNE: right_files[MODEL]}
    result = judge("vanilla_model_predictions", files)
    assert result.status == "needs_review"
    assert "agree with `vanilla.pretrain.dev.predictions` instead" in result.message


def test_one_answer_for_everybody_points_to_no_swapped_files(
    judge, right_files, states, saved, vocabulary
):
    state = {**states[ROPE], "ln_f.weight": torch.zeros(128)}  # nothing but the bias is left
    state["ln_f.bias"] = 100 * state["head.weight"][20]
    always = f"{vocabulary.itos[20] * 32}\n".encode() * 60
    files = {**right_files, ROPE: saved(state), "vanilla.pretrain.dev.predictions": always}
    result = judge("rope_finetune_predictions", files)
    assert result.status == "needs_review"
    assert vocabulary.itos[20] * 32 in dict(result.counterexample).popitem()[1]
    assert "swapped" not in result.message


def test_other_rotation_is_named_as_a_cause(judge, right_files, states, saved):
    state = {
        name: tensor.flip(0) if "rope_cache" in name else tensor
        for name, tensor in states[ROPE].items()
    }
    result = judge("rope_finetune_predictions", {**right_files, ROPE: saved(state)})
    assert result.status == "needs_review"
    assert "another rotation" in result.hint
    assert "differs from the handout's table" in result.message


def halves_for_neighbours(name, tensor):
    """Weights that give under a rotation of halves what these give under one of neighbours."""
    if not name.endswith(("query.weight", "query.bias", "key.weight", "key.bias")):
        return tensor
    heads = tensor.unflatten(0, (4, 16, 2))  # (n_head, pairs, 2, ...)
    return heads.transpose(1, 2).flatten(0, 2)


def test_model_trained_on_halves_is_recognised(judge, right_files, states, saved):
    state = {name: halves_for_neighbours(name, tensor) for name, tensor in states[ROPE].items()}
    result = judge("rope_finetune_predictions", {**right_files, ROPE: saved(state)})
    assert result.status == "needs_review"
    assert "i + d/2" in result.message


@pytest.mark.parametrize(
    ("factors", "words"), [((0, 0), "nothing is rotated"), ((1, -1), "in the opposite direction")]
)
def test_model_trained_on_another_angle_is_recognised(
    factors, words, judge, right_files, models, states, world, vocabulary
):
    model = GPT(models[ROPE].config)
    state = dict(states[ROPE])
    for name in state:
        if name.endswith("rope_cache"):
            cos, sin = state[name].unbind(-1)
            cosine = cos if factors[0] else torch.ones_like(cos)
            state[name] = torch.stack([cosine, factors[1] * sin], -1)
    model.load_state_dict(state)
    places = predict_places(model.eval(), vocabulary, read_prompts(world.folder / DEV))
    lines = "".join(f"{place}\n" for place in places)
    result = judge(
        "rope_finetune_predictions",
        {**right_files, "rope.pretrain.dev.predictions": lines.encode()},
    )
    assert result.status == "needs_review"
    assert words in result.message


def test_predictions_of_another_model_fit_no_rotation(judge, right_files):
    files = {**right_files}
    files["rope.pretrain.dev.predictions"] = right_files["vanilla.pretrain.dev.predictions"]
    assert "so the model was trained" not in judge("rope_finetune_predictions", files).message


def test_some_rows_of_the_test_file_are_asked_and_all_of_dev(judge, right_files):
    result = judge("rope_finetune_predictions", right_files, checkpoint_test_rows=7)
    assert "60 of 60 rows of `rope.pretrain.dev" in result.message
    assert "7 of 7 rows of `rope.pretrain.test" in result.message


def test_which_rows_of_the_test_file_are_asked_is_secret(submit, right_files):
    drawn = set()
    for seed in range(5):
        checkpoints = submit(
            right_files, sandbox=unfenced(), inputs=Inputs(seed), checkpoint_test_rows=7
        )
        weights = checkpoints.read(ROPE_FINETUNE)
        predictions = checkpoints.files.lines(ROPE_FINETUNE.model, "test")
        compared = checkpoints.comparison(weights, ROPE_FINETUNE, "test", predictions)
        assert checkpoints.confirms(compared)
        drawn.add(compared.answers.rows)
    assert len(drawn) == 5  # two are equal by chance once in 10^7 times


def test_sampled_rows_are_compared_with_their_own_lines(judge, right_files):
    name = "rope.pretrain.test.predictions"
    files = {**right_files, name: altered(right_files[name], 30).encode()}
    result = judge("rope_finetune_predictions", files, checkpoint_test_rows=40)
    rows = [int(label.split()[1].rstrip(":")) for label, _ in result.counterexample]
    assert result.status == "needs_review"
    assert len(rows) == 5
    assert max(rows) <= 30


def test_missing_predictions_are_said(judge, right_files):
    files = {**right_files}
    del files["rope.pretrain.dev.predictions"]
    result = judge("rope_finetune_predictions", files)
    assert result.status == "passed"
    assert "`rope.pretrain.dev.predictions` is missing" in result.message


def test_weights_without_any_predictions_are_not_compared(judge, right_files):
    result = judge("rope_finetune_predictions", {ROPE: right_files[ROPE]})
    assert result.status == "skipped"
    assert "no predictions" in result.message


def test_fingerprint_is_of_the_weights_not_of_the_file(states):
    arrays = {name: tensor.numpy() for name, tensor in states[ROPE].items()}
    bare = {name: arrays[name] for name in reversed(arrays) if "rope_cache" not in name}
    moved = {**arrays, "ln_f.bias": arrays["ln_f.bias"] + 1}
    plain, other, third = (weights_print(Weights(ROPE, state)) for state in (arrays, bare, moved))
    assert plain == other
    assert plain != third


def test_one_answer_for_everybody_has_no_fingerprint():
    assert predictions_print(["London", "London "]) is None
    assert predictions_print(["London", "Rome "]) == predictions_print(["London\r", "Rome"])


# ---------------------------------------------------------------- a person is asked


FILES = [(model, part) for model in MODELS.values() for part in ("dev", "test")]


@pytest.fixture
def doubts(submit, world):
    """The reasons why a person is asked about a prediction file among these files."""

    def ask(files, model, part, **changes):
        predictions = tuple(files[f"{model}.{part}.predictions"].decode().splitlines())
        gold = world.dev if part == "dev" else world.test
        scored, score = Scored(f"{model}.{part}.predictions", predictions, gold, ()), Score()
        Origin(submit(files, sandbox=unfenced(), **changes)).confirm(scored, model, part, score)
        return [doubt.message for doubt in score.doubts]

    return ask


@pytest.mark.parametrize(("model", "part"), FILES)
def test_own_predictions_ask_nobody(doubts, right_files, model, part):
    assert doubts(right_files, model, part) == []


@pytest.fixture
def swapped(right_files):
    """Right files, but the vanilla models' weights are the same."""
    return {**right_files, FINETUNE: right_files[MODEL]}


@pytest.mark.parametrize("part", ["dev", "test"])
def test_predictions_of_other_weights_ask(doubts, swapped, part):
    (reason,) = doubts(swapped, "vanilla.pretrain", part)
    assert "agree with only" in reason


def test_rule_decides_about_predictions_of_other_weights(doubts, swapped):
    assert doubts(swapped, "vanilla.pretrain", "dev", doubtful_predictions="accept") == []
    with pytest.raises(CheckFailed, match="agree with only"):
        doubts(swapped, "vanilla.pretrain", "dev", doubtful_predictions="none")


def test_model_trained_with_another_rotation_asks_nobody(doubts, right_files, states, saved):
    state = {name: halves_for_neighbours(name, tensor) for name, tensor in states[ROPE].items()}
    assert doubts({**right_files, ROPE: saved(state)}, "rope.pretrain", "test") == []


def test_unreadable_checkpoint_asks(doubts, right_files):
    (reason,) = doubts({**right_files, ROPE: b"PK"}, "rope.pretrain", "test")
    assert "truncated" in reason


def test_checkpoint_of_the_other_variant_asks(doubts, right_files):
    files = {**right_files, ROPE: right_files[FINETUNE]}
    assert len(doubts(files, "rope.pretrain", "test")) == 1
