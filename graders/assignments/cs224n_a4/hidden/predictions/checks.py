"""Prediction files: accuracy is recomputed; numbers in the submission are ignored."""

from collections.abc import Mapping
from fractions import Fraction

import pytest

from graders.boundary.student import Student
from graders.checks.compare import fail
from graders.checks.inputs import Inputs
from graders.checks.score import Score
from graders.checks.submitted import SubmittedFiles
from graders.data.birthplaces import TRAIN, Data
from graders.model import Setting
from graders.statistics import is_borderline, percent, percentage, share_in_words

from ..checkpoints.submitted import Checkpoints
from . import notes
from .notes import LONDON, chance_below, chance_so_far_below, p_in_words
from .origin import Origin
from .places import Scored, case_of, slip_hint, spaces_note
from .submitted import NO_PRETRAIN, PRETRAIN, ROPE, PredictionFiles, choice, file_name

THRESHOLDS = {PRETRAIN: "pretrain_full_percent", ROPE: "rotary_full_percent"}


@pytest.fixture
def files(
    submitted: SubmittedFiles, data: Data, settings: Mapping[str, Setting]
) -> PredictionFiles:
    """Return the submission's prediction files."""
    return PredictionFiles(submitted, data, settings)


@pytest.fixture
def origin(sandbox: Student, files: PredictionFiles, inputs: Inputs) -> Origin:
    """Return the evidence that they come from the submission's models."""
    return Origin(Checkpoints(sandbox, files, inputs))


@pytest.mark.criterion("no-pretrain")
def test_nopretrain_dev(files: PredictionFiles, origin: Origin, score: Score) -> None:
    """Without pretraining, the accuracy on the dev set is below {nopretrain_below_percent}%."""
    scored = _judge_without_pretraining(files, "dev", score)
    origin.confirm(scored, NO_PRETRAIN, "dev", score)


@pytest.mark.criterion("no-pretrain")
def test_nopretrain_test(files: PredictionFiles, origin: Origin, score: Score) -> None:
    """Without pretraining, the accuracy on the test set is below {nopretrain_below_percent}%."""
    scored = _judge_without_pretraining(files, "test", score)
    origin.confirm(scored, NO_PRETRAIN, "test", score)


@pytest.mark.criterion("pretrain", weight=8)
def test_pretrain_dev(files: PredictionFiles, origin: Origin, score: Score) -> None:
    """With pretraining, the accuracy on the dev set is at least {pretrain_full_percent}%."""
    scored = files.score(PRETRAIN, "dev")
    _say_notes(files, scored, score, threshold=THRESHOLDS[PRETRAIN])
    _fail_if_answers(scored)
    _fail_if_without_pretraining(files, scored, "dev")
    _judge_threshold(files, scored, score, "pretrain")
    score.note(notes.chance_note(files, scored))
    origin.confirm(scored, PRETRAIN, "dev", score)


@pytest.mark.criterion("pretrain", weight=2)
def test_pretrain_test(files: PredictionFiles, origin: Origin, score: Score) -> None:
    """The accuracy on the test set is above the London baseline and not far below dev."""
    scored = files.score(PRETRAIN, "test")
    _say_notes(files, scored, score)
    _fail_if_answers(scored)
    _fail_if_without_pretraining(files, scored, "test")
    if files.twin(scored, ROPE, "test") and _is_rope(files, scored):
        fail(
            f"`{scored.name}` is a copy of `{file_name(ROPE, 'test')}`. Two models never agree on "
            "every line, so this is the accuracy of your RoPE model, not of your vanilla model.",
            hint="Evaluate the vanilla model on the test questions again.",
            actual=scored.in_words,
        )
    _judge_similarity(files, scored, score)
    origin.confirm(scored, PRETRAIN, "test", score)


@pytest.mark.criterion("rotary-accuracy")
def test_rope_test(files: PredictionFiles, origin: Origin, score: Score) -> None:
    """With rotary positions, the accuracy on the test set is at least {rotary_full_percent}%."""
    scored = files.score(ROPE, "test")
    _say_notes(files, scored, score, threshold=THRESHOLDS[ROPE])
    _fail_if_answers(scored)
    if files.twin(scored, PRETRAIN, "test") and not _is_rope(files, scored):
        fail(
            f"`{scored.name}` and `{file_name(PRETRAIN, 'test')}` are identical, but two models "
            "never agree on every line.",
            hint="Submit the RoPE model's predictions. If these are its own, the rope setting "
            "doesn't reach the model.",
            actual=scored.in_words,
        )
    _judge_threshold(files, scored, score, "rotary")
    score.note(notes.chance_note(files, scored))
    _say_gap(files, ROPE, scored, score)
    origin.confirm(scored, ROPE, "test", score)


def _judge_without_pretraining(files: PredictionFiles, part: str, score: Score) -> Scored:
    scored = files.score(NO_PRETRAIN, part)
    _say_notes(files, scored, score)
    limit = files.percent("nopretrain_below_percent")
    twin = files.twin(scored, PRETRAIN, part)
    if scored.share >= limit and (twin or not _is_spared(files, scored, limit)):
        same = f" It is a copy of `{file_name(PRETRAIN, part)}`." if twin else ""
        fail(
            f"A model without pretraining does not reach {scored.in_words}.{same}",
            hint="Finetune from scratch, without --reading_params_path, and evaluate that model.",
            expected=f"below {percentage(limit)}",
            actual=percent(scored.correct, scored.n, limit),
        )
    _fail_if_no_places(files, scored)
    score.note(_passed(scored))
    _say_borderline(files, scored, score, limit)
    score.note(notes.chance_note(files, scored))
    return scored


def _fail_if_no_places(files: PredictionFiles, scored: Scored) -> None:
    """Fail unless some lines are training places, since a finetuned model answers with those."""
    if scored.is_blank:
        fail(f"All {scored.n} lines are blank, so they are not predictions.")
    places = {*files.data.train, *scored.gold}
    if any(line.strip() in places for line in scored.predictions):
        return
    if case := case_of(scored.predictions, places):
        fail(
            f"The places are in {case}, so none of them counts as a place.",
            hint="Submit the lines as `evaluate` writes them. Capital letters count.",
            expected="places with capital letters, as in the question files",
            actual=repr(scored.predictions[0][:60]),
        )
    fail(
        f"No line is a place in {TRAIN}, but a finetuned model answers with those places.",
        hint=slip_hint(scored) or "Submit the output of `evaluate`.",
        expected="one place per line",
        actual=repr(scored.predictions[0][:60]),
    )


def _judge_threshold(files: PredictionFiles, scored: Scored, score: Score, name: str) -> None:
    """Give full points at the threshold, decreasing linearly to none."""
    full = files.percent(f"{name}_full_percent")
    none = files.percent(f"{name}_none_percent")
    if scored.share >= full or _is_spared(files, scored, full):
        score.note(_passed(scored))
    else:
        fraction = max(Fraction(0), (scored.share - none) / (full - none))
        score.partial(
            float(fraction),
            f"{share_in_words(scored.correct, scored.n, full)}: below {percentage(full)}. Points "
            f"decrease linearly from {percentage(full)} (all) to {percentage(none)} (none).",
            hint=slip_hint(scored),
            expected=f"at least {percentage(full)}",
            actual=percent(scored.correct, scored.n, full),
        )
    _say_borderline(files, scored, score, full)


def _is_spared(files: PredictionFiles, scored: Scored, threshold: Fraction) -> bool:
    """Handle a borderline accuracy, if the assignment has a special rule for it."""
    rule = choice(files.settings, "borderline", notes.RULES)
    return rule != "plain" and is_borderline(scored.correct, scored.n, threshold)


def _say_borderline(
    files: PredictionFiles, scored: Scored, score: Score, threshold: Fraction
) -> None:
    rule = choice(files.settings, "borderline", notes.RULES)
    note = notes.borderline_note(scored, threshold, rule)
    if note and rule == "review":
        score.needs_review(note)
    elif note:
        score.note(note)


def _judge_similarity(files: PredictionFiles, scored: Scored, score: Score) -> None:
    """Fail unless test is above the London baseline and not significantly below dev."""
    problem = _not_above_london(scored) or _far_below(files, scored)
    if not problem:
        score.note(_passed(scored))
    score.note(notes.chance_note(files, scored))
    if problem:
        message, hint = problem
        fail(message, hint=hint)
    _say_gap(files, PRETRAIN, scored, score)


def _not_above_london(scored: Scored) -> tuple[str, str] | None:
    london = scored.gold.count(LONDON)
    if scored.correct > london:
        return None
    return (
        f"{scored.in_words}: not above the {LONDON} baseline, which answers {LONDON} everywhere "
        f"and gets {share_in_words(london, scored.n)}.",
        slip_hint(scored),
    )


def _far_below(files: PredictionFiles, scored: Scored) -> tuple[str, str] | None:
    """Fail if test is significantly below dev; without a readable dev file, below the threshold."""
    dev = files.score_or_none(PRETRAIN, "dev")
    full = files.percent("pretrain_full_percent")
    if dev is None or dev.predictions == dev.gold:
        p = chance_below(scored.correct, scored.n, full)
        level = f"the threshold of {percentage(full)} (the dev file cannot be used for comparison)"
    else:
        p = chance_so_far_below(scored.correct, scored.n, dev.correct, dev.n)
        level = f"on dev, {dev.in_words}"
    if p >= files.alpha:
        return None
    return (
        f"{scored.in_words}: below {level}. By chance, this happens less than once in "
        f"{1 / files.alpha:.0f} times ({p_in_words(p)}), so the test file does not come from a "
        "model with that accuracy.",
        slip_hint(scored)
        or "The same model must write both files, and it must not be trained on the dev set.",
    )


def _is_rope(files: PredictionFiles, scored: Scored) -> bool:
    """Return whether a test file of both models is RoPE's: closer to that model's dev accuracy."""
    shares = {}
    for model, key in THRESHOLDS.items():  # or the handout's expectation
        dev = files.score_or_none(model, "dev")
        shares[model] = files.percent(key) if dev is None else dev.share
    return abs(scored.share - shares[ROPE]) < abs(scored.share - shares[PRETRAIN])


def _fail_if_answers(scored: Scored) -> None:
    if scored.predictions == scored.gold:
        fail(
            f"All {scored.n} lines are correct. Models in this assignment reach 15 to 45%, so "
            "these are the answers, or the model was trained on them.",
            hint="Submit the output of `evaluate`, after finetuning on birth_places_train.tsv.",
        )


def _fail_if_without_pretraining(files: PredictionFiles, scored: Scored, part: str) -> None:
    limit = files.percent("nopretrain_below_percent")
    if scored.share < limit and files.twin(scored, NO_PRETRAIN, part):
        fail(
            f"`{scored.name}` is a copy of `{file_name(NO_PRETRAIN, part)}`: {scored.in_words}.",
            hint="Finetune the pretrained model and evaluate that one.",
        )


def _say_notes(
    files: PredictionFiles, scored: Scored, score: Score, *, threshold: str = ""
) -> None:
    score.show(notes.accuracy_of(files, scored, threshold))
    for note in scored.notes:
        score.note(f"`{scored.name}`: {note}")
    model, part, _ = scored.name.rsplit(".", 2)
    sentences = [spaces_note(scored), notes.collapse_note(files, scored)]
    copies = notes.copy_notes(files, model) if part == "test" else ()
    for note in (*sentences, *copies):
        if note:
            score.note(note)


def _say_gap(files: PredictionFiles, model: str, test: Scored, score: Score) -> None:
    """Add a note on the gap between dev and test, unless a formatting slip explains it."""
    dev = files.score_or_none(model, "dev")
    if dev is None:
        return
    gap = notes.gap_note(dev, test, files.alpha)
    if dev.predictions == dev.gold:
        score.note(f"`{dev.name}`: all {dev.n} lines are correct, so these are the answers.")
    elif gap and not slip_hint(dev) and not slip_hint(test):
        score.note(gap)


def _passed(scored: Scored) -> str:
    return f"Correct: {scored.in_words}."
