"""Prediction files: their accuracy is recomputed, whatever the submission says it is."""

from fractions import Fraction

import pytest
from a4_chance import chance_below, chance_so_far_below
from a4_files import PredictionFiles, file_name
from a4_places import Scored, slip_hint, spaces_note

from graders.checks.compare import fail
from graders.data import TRAIN
from graders.intervals import percent, share_in_words

NO_PRETRAIN = "vanilla.nopretrain"
PRETRAIN = "vanilla.pretrain"
ROPE = "rope.pretrain"
LONDON = "London"
THRESHOLDS = {PRETRAIN: "pretrain_full_percent", ROPE: "rotary_full_percent"}


@pytest.fixture
def files(submitted, data, settings):
    """The submission's prediction files."""
    return PredictionFiles(submitted, data, settings)


@pytest.mark.criterion("no-pretrain")
def test_nopretrain_dev(files, score):
    """Without pretraining the model predicts dev places, and fewer than 10 % of them rightly."""
    _judge_without_pretraining(files, "dev", score)


@pytest.mark.criterion("no-pretrain")
def test_nopretrain_test(files, score):
    """Without pretraining the model predicts test places, and fewer than 10 % of them rightly."""
    _judge_without_pretraining(files, "test", score)


@pytest.mark.criterion("pretrain", weight=8)
def test_pretrain_dev(files, score):
    """With pretraining the model predicts at least 15 % of the dev places rightly."""
    scored = files.score(PRETRAIN, "dev")
    _say_notes(scored, score)
    _fail_if_answers(scored)
    _fail_if_without_pretraining(files, scored, "dev")
    _judge_threshold(files, scored, score, "pretrain")


@pytest.mark.criterion("pretrain", weight=2)
def test_pretrain_test(files, score):
    """With pretraining the model does about as well on the test places as on the dev places."""
    scored = files.score(PRETRAIN, "test")
    _say_notes(scored, score)
    _fail_if_answers(scored)
    _fail_if_without_pretraining(files, scored, "test")
    if files.twin(scored, ROPE, "test") and _is_rope(files, scored):
        fail(
            f"`{scored.name}` is a copy of `{file_name(ROPE, 'test')}`: two models never agree "
            "on every line, and this one does as your RoPE model, not as your vanilla one.",
            hint="Evaluate the vanilla model on the test questions again.",
            actual=scored.in_words,
        )
    _judge_similarity(files, scored, score)


@pytest.mark.criterion("rotary-accuracy")
def test_rope_test(files, score):
    """With rotary positions the model predicts at least 30 % of the test places rightly."""
    scored = files.score(ROPE, "test")
    _say_notes(scored, score)
    _fail_if_answers(scored)
    if files.twin(scored, PRETRAIN, "test") and not _is_rope(files, scored):
        fail(
            f"`{scored.name}` and `{file_name(PRETRAIN, 'test')}` are the same: two models never "
            "agree on every line.",
            hint="Hand in the RoPE model's predictions. If these are its own, the rope setting "
            "does not reach the model.",
            actual=scored.in_words,
        )
    _judge_threshold(files, scored, score, "rotary")


def _judge_without_pretraining(files, part, score):
    scored = files.score(NO_PRETRAIN, part)
    _say_notes(scored, score)
    limit = _percent(files, "nopretrain_below_percent")
    if scored.share >= limit:
        twin = files.twin(scored, PRETRAIN, part)
        same = f" It is a copy of `{file_name(PRETRAIN, part)}`." if twin else ""
        fail(
            f"A model without pretraining does not reach {scored.in_words}.{same}",
            hint="Finetune from scratch, without --reading_params_path, and evaluate that model.",
            expected=f"under {_shown(limit)}",
            actual=percent(scored.correct, scored.n),
        )
    _fail_if_no_places(files, scored)
    score.note(_passed(scored))
    if scored.is_constant:
        score.note(
            f"Every line says {scored.predictions[0][:40]!r}: a finetuned model answers by name."
        )


def _fail_if_no_places(files, scored):
    """A finetuned model speaks in places it was trained on, also where it is wrong."""
    if scored.is_blank:
        fail(f"All {scored.n} lines are blank: these are no predictions.")
    known = {*files.data.train, *scored.gold}
    if not any(line.strip() in known for line in scored.predictions):
        fail(
            f"Not one line is a place of {TRAIN}, which a finetuned model knows by heart.",
            hint=slip_hint(scored) or "Is this file the output of `evaluate`?",
            expected="one place a line",
            actual=repr(scored.predictions[0][:60]),
        )


def _judge_threshold(files, scored, score, name):
    """Full points at the threshold, then a straight line down to none."""
    full = _percent(files, f"{name}_full_percent")
    none = _percent(files, f"{name}_none_percent")
    if scored.share >= full:
        score.note(_passed(scored))
        return
    fraction = max(Fraction(0), (scored.share - none) / (full - none))
    score.partial(
        float(fraction),
        f"{scored.in_words}: below {_shown(full)}. Points fall in a straight line from "
        f"{_shown(full)} (all) to {_shown(none)} (none).",
        hint=slip_hint(scored),
        expected=f"at least {_shown(full)}",
        actual=percent(scored.correct, scored.n),
    )


def _judge_similarity(files, scored, score):
    """Not below dev beyond chance; where dev cannot be read, not below the threshold."""
    london = scored.gold.count(LONDON)
    if scored.correct <= london:
        fail(
            f"{scored.in_words}: {LONDON} for everybody gives {share_in_words(london, scored.n)}.",
            hint=slip_hint(scored),
        )
    dev = _readable_dev(files)
    full = _percent(files, "pretrain_full_percent")
    if dev is None:
        chance = chance_below(scored.correct, scored.n, full)
        asked = f"the threshold of {_shown(full)} (the dev file cannot be compared with)"
    else:
        chance = chance_so_far_below(scored.correct, scored.n, dev.correct, dev.n)
        asked = f"on dev, {dev.in_words}"
    alpha = float(files.settings["similar_alpha"])
    if chance < alpha:
        fail(
            f"{scored.in_words}: below {asked}. Chance does that less than once in "
            f"{1 / alpha:.0f} times, so the test file is not of a model with that accuracy.",
            hint=slip_hint(scored)
            or "Did one model write both files, and was it never trained on the dev questions?",
        )
    score.note(_passed(scored))


def _readable_dev(files):
    """The dev file, if it can stand for the model."""
    dev = files.score_or_none(PRETRAIN, "dev")
    return None if dev is None or dev.predictions == dev.gold else dev


def _is_rope(files, scored):
    """Whether a test file of both models is the RoPE one's: nearer to what that does on dev."""
    own = {model: _dev_share(files, model, key) for model, key in THRESHOLDS.items()}
    return abs(scored.share - own[ROPE]) < abs(scored.share - own[PRETRAIN])


def _dev_share(files, model, key):
    """The model's accuracy on dev, or what the handout expects of it."""
    dev = files.score_or_none(model, "dev")
    return _percent(files, key) if dev is None else dev.share


def _fail_if_answers(scored):
    if scored.predictions == scored.gold:
        fail(
            f"All {scored.n} lines are right. Models of this assignment are right in 15 to 45 % "
            "of them, so these are the answers, or the model was trained on them.",
            hint="Hand in what `evaluate` wrote, after finetuning on birth_places_train.tsv.",
        )


def _fail_if_without_pretraining(files, scored, part):
    limit = _percent(files, "nopretrain_below_percent")
    if scored.share < limit and files.twin(scored, NO_PRETRAIN, part):
        fail(
            f"`{scored.name}` is a copy of `{file_name(NO_PRETRAIN, part)}`: {scored.in_words}.",
            hint="Finetune the pretrained model and evaluate it, not the one without pretraining.",
        )


def _say_notes(scored: Scored, score):
    for note in scored.notes:
        score.note(f"`{scored.name}`: {note}")
    if spaces := spaces_note(scored):
        score.note(spaces)


def _passed(scored):
    return f"Right: {scored.in_words}."


def _percent(files, key):
    return Fraction(str(files.settings[key])) / 100


def _shown(share):
    return f"{float(100 * share):g} %"
