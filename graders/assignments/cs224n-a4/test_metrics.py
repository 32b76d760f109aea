"""Prediction files: their accuracy is recomputed, whatever the submission says it is."""

from fractions import Fraction

import pytest
from a4_chance import chance_below, chance_so_far_below, p_in_words
from a4_checkpoint_submission import Checkpoints
from a4_copies import copy_notes
from a4_figures import accuracy_of
from a4_files import MODELS, PredictionFiles, file_name
from a4_origin import Origin
from a4_places import Scored, case_of, slip_hint, spaces_note
from a4_statistics import (
    LONDON,
    borderline_note,
    borderline_rule,
    chance_note,
    collapse_note,
    gap_note,
    majority,
)

from graders.checks.compare import fail
from graders.data import TRAIN
from graders.intervals import is_borderline, percent, share_in_words

NO_PRETRAIN, PRETRAIN, ROPE = MODELS
THRESHOLDS = {PRETRAIN: "pretrain_full_percent", ROPE: "rotary_full_percent"}


@pytest.fixture
def files(submitted, data, settings):
    """The submission's prediction files."""
    return PredictionFiles(submitted, data, settings)


@pytest.fixture
def origin(sandbox, submitted, data, settings):
    """What shows that they come from the submission's models."""
    return Origin(Checkpoints(sandbox, submitted, data, settings))


@pytest.mark.criterion("no-pretrain")
def test_nopretrain_dev(files, origin, score):
    """Without pretraining, the model gets fewer than 10% of the dev places right."""
    scored = _judge_without_pretraining(files, "dev", score)
    origin.confirm(scored, NO_PRETRAIN, "dev", score)


@pytest.mark.criterion("no-pretrain")
def test_nopretrain_test(files, origin, score):
    """Without pretraining, the model gets fewer than 10% of the test places right."""
    scored = _judge_without_pretraining(files, "test", score)
    origin.confirm(scored, NO_PRETRAIN, "test", score)


@pytest.mark.criterion("pretrain", weight=8)
def test_pretrain_dev(files, origin, score):
    """With pretraining, the model gets at least 15% of the dev places right."""
    scored = files.score(PRETRAIN, "dev")
    _say_notes(files, scored, score, threshold=THRESHOLDS[PRETRAIN])
    _fail_if_answers(scored)
    _fail_if_without_pretraining(files, scored, "dev")
    _judge_threshold(files, scored, score, "pretrain")
    _say_chance(files, scored, score)
    origin.confirm(scored, PRETRAIN, "dev", score)


@pytest.mark.criterion("pretrain", weight=2)
def test_pretrain_test(files, origin, score):
    """With pretraining, the model does about as well on the test places as on the dev places."""
    scored = files.score(PRETRAIN, "test")
    _say_notes(files, scored, score)
    _say_copies(files, PRETRAIN, score)
    _fail_if_answers(scored)
    _fail_if_without_pretraining(files, scored, "test")
    if files.twin(scored, ROPE, "test") and _is_rope(files, scored):
        fail(
            f"`{scored.name}` is a copy of `{file_name(ROPE, 'test')}`: two models never agree on "
            "every line, and its accuracy is that of your RoPE model, not of your vanilla model.",
            hint="Evaluate the vanilla model on the test questions again.",
            actual=scored.in_words,
        )
    _judge_similarity(files, scored, score)
    origin.confirm(scored, PRETRAIN, "test", score)


@pytest.mark.criterion("rotary-accuracy")
def test_rope_test(files, origin, score):
    """With rotary positions, the model gets at least 30% of the test places right."""
    scored = files.score(ROPE, "test")
    _say_notes(files, scored, score, threshold=THRESHOLDS[ROPE])
    _say_copies(files, ROPE, score)
    _fail_if_answers(scored)
    if files.twin(scored, PRETRAIN, "test") and not _is_rope(files, scored):
        fail(
            f"`{scored.name}` and `{file_name(PRETRAIN, 'test')}` are the same: two models never "
            "agree on every line.",
            hint="Submit the RoPE model's predictions. If these are its own, the rope setting does "
            "not reach the model.",
            actual=scored.in_words,
        )
    _judge_threshold(files, scored, score, "rotary")
    _say_chance(files, scored, score)
    _say_gap(files, ROPE, scored, score)
    origin.confirm(scored, ROPE, "test", score)


def _judge_without_pretraining(files, part, score):
    scored = files.score(NO_PRETRAIN, part)
    _say_notes(files, scored, score)
    if part == "test":
        _say_copies(files, NO_PRETRAIN, score)
    limit = _percent(files, "nopretrain_below_percent")
    twin = files.twin(scored, PRETRAIN, part)
    if scored.share >= limit and (twin or not _is_spared(files, scored, limit)):
        same = f" It is a copy of `{file_name(PRETRAIN, part)}`." if twin else ""
        fail(
            f"A model without pretraining does not reach {scored.in_words}.{same}",
            hint="Finetune from scratch, without --reading_params_path, and evaluate that model.",
            expected=f"below {_shown(limit)}",
            actual=percent(scored.correct, scored.n),
        )
    _fail_if_no_places(files, scored)
    score.note(_passed(scored))
    _say_borderline(files, scored, score, limit)
    _say_chance(files, scored, score)
    return scored


def _fail_if_no_places(files, scored):
    """A finetuned model answers with places it was trained on, even where it is wrong."""
    if scored.is_blank:
        fail(f"All {scored.n} lines are blank, so they are not predictions.")
    known = {*files.data.train, *scored.gold}
    if any(line.strip() in known for line in scored.predictions):
        return
    if case := case_of(scored.predictions, known):
        fail(
            f"The places are in {case}, so none of them counts as a place.",
            hint="Submit the lines as `evaluate` writes them. Capital letters count.",
            expected="places with capital letters, as in the question files",
            actual=repr(scored.predictions[0][:60]),
        )
    fail(
        f"None of the lines is a place in {TRAIN}; a finetuned model answers with those.",
        hint=slip_hint(scored) or "Submit the output of `evaluate`.",
        expected="one place per line",
        actual=repr(scored.predictions[0][:60]),
    )


def _judge_threshold(files, scored, score, name):
    """Full points at the threshold, then a straight line down to none."""
    full = _percent(files, f"{name}_full_percent")
    none = _percent(files, f"{name}_none_percent")
    if scored.share >= full or _is_spared(files, scored, full):
        score.note(_passed(scored))
    else:
        fraction = max(Fraction(0), (scored.share - none) / (full - none))
        score.partial(
            float(fraction),
            f"{scored.in_words}: below {_shown(full)}. Points fall in a straight line from "
            f"{_shown(full)} (all) to {_shown(none)} (none).",
            hint=slip_hint(scored),
            expected=f"at least {_shown(full)}",
            actual=percent(scored.correct, scored.n),
        )
    _say_borderline(files, scored, score, full)


def _is_spared(files, scored, threshold):
    """Whether the assignment does not leave a borderline accuracy to the plain rule."""
    plain = borderline_rule(files.settings) == "plain"
    return not plain and is_borderline(scored.correct, scored.n, threshold)


def _say_borderline(files, scored, score, threshold):
    rule = borderline_rule(files.settings)
    note = borderline_note(scored, threshold, rule)
    if note and rule == "review":
        score.needs_review(note)
    elif note:
        score.note(note)


def _judge_similarity(files, scored, score):
    """Above London, and not below dev beyond chance."""
    problem = _not_above_london(scored) or _far_below(files, scored)
    if not problem:
        score.note(_passed(scored))
    _say_chance(files, scored, score)
    if problem:
        message, hint = problem
        fail(message, hint=hint)
    _say_gap(files, PRETRAIN, scored, score)


def _not_above_london(scored):
    london = scored.gold.count(LONDON)
    if scored.correct > london:
        return None
    return (
        f"{scored.in_words}: {LONDON} for everybody gives {share_in_words(london, scored.n)}.",
        slip_hint(scored),
    )


def _far_below(files, scored):
    """Below dev beyond chance; where dev cannot be read, below the threshold."""
    dev = _readable_dev(files)
    full = _percent(files, "pretrain_full_percent")
    if dev is None:
        p = chance_below(scored.correct, scored.n, full)
        asked = f"the threshold of {_shown(full)} (the dev file cannot be compared with)"
    else:
        p = chance_so_far_below(scored.correct, scored.n, dev.correct, dev.n)
        asked = f"on dev, {dev.in_words}"
    alpha = _alpha(files)
    if p >= alpha:
        return None
    return (
        f"{scored.in_words}: below {asked}. Chance does that less than once in "
        f"{1 / alpha:.0f} times ({p_in_words(p)}), so the test file does not come from a model "
        "with that accuracy.",
        slip_hint(scored)
        or "One model must write both files, and it must not be trained on the dev questions.",
    )


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
            f"All {scored.n} lines are right. Models in this assignment get 15 to 45% right, so "
            "these are the answers, or the model was trained on them.",
            hint="Submit the output of `evaluate`, after finetuning on birth_places_train.tsv.",
        )


def _fail_if_without_pretraining(files, scored, part):
    limit = _percent(files, "nopretrain_below_percent")
    if scored.share < limit and files.twin(scored, NO_PRETRAIN, part):
        fail(
            f"`{scored.name}` is a copy of `{file_name(NO_PRETRAIN, part)}`: {scored.in_words}.",
            hint="Finetune the pretrained model and evaluate that one.",
        )


def _say_notes(files, scored: Scored, score, *, threshold=""):
    score.show(accuracy_of(files, scored, threshold))
    for note in scored.notes:
        score.note(f"`{scored.name}`: {note}")
    if spaces := spaces_note(scored):
        score.note(spaces)
    if collapse := collapse_note(scored, majority(files.data.train)):
        score.note(collapse)


def _say_copies(files, model, score):
    for note in copy_notes(files, model):
        score.note(note)


def _say_chance(files, scored, score):
    score.note(chance_note(scored, majority(files.data.train), _alpha(files)))


def _say_gap(files, model, test, score):
    """The gap between dev and test, unless a slip of writing explains it."""
    dev = files.score_or_none(model, "dev")
    if dev is None:
        return
    gap = gap_note(dev, test, _alpha(files))
    if dev.predictions == dev.gold:
        score.note(f"`{dev.name}`: all {dev.n} lines are right, so these are the answers.")
    elif gap and not slip_hint(dev) and not slip_hint(test):
        score.note(gap)


def _alpha(files):
    """The p-value below which a difference is beyond chance."""
    return float(files.settings["similar_alpha"])


def _passed(scored):
    return f"Right: {scored.in_words}."


def _percent(files, key):
    return Fraction(str(files.settings[key])) / 100


def _shown(share):
    return f"{float(100 * share):g} %"
