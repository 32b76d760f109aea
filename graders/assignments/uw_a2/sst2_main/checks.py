"""main: which splits it trains and evaluates on, which weights it saves, and what it tests."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from graders.boundary.student import Student
from graders.checks.compare import fail
from graders.checks.inputs import Inputs
from graders.checks.score import Score
from graders.errors import StudentFault, Unavailable

from ..sst2.calls import not_written
from ..sst2.visits import Loader, Optimizer, Visits, falling_visits, second_visits, visits
from ..sst2_data.batches import works_with_roberta
from ..sst2_training.updates import require_device

CLASSES = 2
USUAL = {"lr": 5e-5, "eps": 1e-8}
MOST_RATE, MOST_EPS = 0.05, 1.0  # no model learns beyond these
LEAST_TRAINED = 0.5  # of the sentences in an epoch: drawing with replacement leaves out a third
MOST_FACTOR = 1.0  # a schedule may multiply a rate up to this by small numbers
LEAST_RATE = 1e-7  # with less, 20 epochs move a weight by less than 0.0003
MISTAKES: Sequence[tuple[Callable[[Visits], int], str]] = (
    (
        lambda seen: 1,
        "Only the first epoch is saved. Is the validation accuracy compared, not a loss, and in "
        "the correct direction?",
    ),
    (
        lambda seen: seen.last_epoch,
        "These are the last epoch's weights. A state_dict that is not copied changes with the "
        "model, and the last epoch may not be the best.",
    ),
    (lambda seen: seen.best("test"), "The weights are chosen by the test accuracy."),
    (
        Visits.last_rise,
        "An epoch is saved if it is better than the previous one. Is best_acc updated with the "
        "best accuracy?",
    ),
    (
        lambda seen: seen.best(ties=True),
        "An epoch that is only as good as the best so far replaces it. Compare with >, not with "
        ">=.",
    ),
)
GENERAL = (
    "Whenever an epoch's validation accuracy is a new best, save the weights of that same epoch."
)
ENDED = "main then raised an error; only what it did before counts"


@pytest.mark.criterion("sst2-main", weight=0)
def test_main_is_written(student: Student, inputs: Inputs, score: Score) -> None:
    """Prerequisite: main trains and evaluates."""
    seen = visits(student, inputs)
    if seen.ended is not None:
        score.note(f"{ENDED}: {seen.ended} {seen.ended.where}".rstrip())
    if not seen.last_epoch:
        not_written("main does not call train_one_epoch.")
    if not seen.evaluations():
        not_written("main does not call evaluate.")


@pytest.mark.criterion("sst2-main", weight=1, depends_on=("main-is-written",))
def test_validated_each_epoch(student: Student, inputs: Inputs, score: Score) -> None:
    """In each of several epochs, main trains two classes on train and evaluates on validation."""
    seen = visits(student, inputs)
    for epoch in seen.of("train"):
        if epoch.split not in ("train", ""):
            fail(
                f"main trains on the split {epoch.split}.",
                hint="Train on the training split alone.",
                expected="train",
            )
        if epoch.classes not in (0, CLASSES):
            fail(
                f"The model distinguishes {epoch.classes} classes, but SST-2 has {CLASSES}.",
                hint="Create it with num_labels=2.",
                expected=str(CLASSES),
                actual=str(epoch.classes),
            )
        if not epoch.gradient:
            fail(
                "main turns gradients off before it calls train_one_epoch, so backward raises.",
                hint="Use `with torch.no_grad():` around evaluation only; it ends with its block.",
            )
        if epoch.strange:
            fail(
                "The batches contain a token outside the model's embedding table; training would "
                "crash.",
                hint="Use the tokenizer's own <pad>, or call "
                "model.resize_token_embeddings(len(tokenizer)).",
                actual=epoch.strange,
            )
    _require_pretrained(seen)
    missing = [at for at in range(1, seen.last_epoch + 1) if at not in seen.validated()]
    if missing:
        splits = {evaluation.split for evaluation in seen.evaluations()}
        instead = "main evaluates on the training sentences instead. " if "train" in splits else ""
        fail(
            "The validation accuracy is not computed after each epoch.",
            hint=f"{instead}Call evaluate(model, validation_dataloader) inside the loop over "
            "epochs.",
            expected=f"{seen.last_epoch} evaluations on validation",
            actual=f"{seen.last_epoch - len(missing)}; splits evaluated: {', '.join(splits)}"[:200],
        )
    after = [evaluation for evaluation in seen.evaluations("validation") if evaluation.epoch > 0]
    if after and all(evaluation.initial for evaluation in after):
        fail(
            "The model that is evaluated on validation is not the one that is trained.",
            hint="Pass the same model to train_one_epoch and evaluate.",
            expected="the weights of each epoch",
            actual="the initial weights",
        )
    if seen.last_epoch == 1 and not seen.takes_options:
        fail(
            "main trains for a single epoch, so there is nothing to choose from.",
            hint="The handout trains for 20 epochs and keeps the best.",
            expected="20 epochs",
            actual="1 epoch",
        )
    if seen.last_epoch < 6:
        score.note(f"main trains for {seen.last_epoch} epochs; the handout uses 20.")


@pytest.mark.criterion("sst2-main", weight=2, depends_on=("main-is-written",))
def test_best_weights_kept(student: Student, inputs: Inputs) -> None:
    """The saved weights are those of the first epoch with the highest validation accuracy."""
    seen = visits(student, inputs)
    saved, best = _chosen_epoch(seen), seen.best()
    if saved == best:
        _require_current_file(seen)
        _require_named_file(seen)
        return _require_first_epoch(student, inputs)
    fail(
        "main does not save the weights of the epoch with the best validation accuracy.",
        hint=_known_mistake(student, inputs, seen, saved),
        expected=f"weights of epoch {best}",
        actual=f"weights of epoch {saved}" if saved > 0 else "no trained weights",
        counterexample=_shown(seen),
    )


@pytest.mark.criterion("sst2-main", weight=1, depends_on=("main-is-written",))
def test_tested_once(student: Student, inputs: Inputs, score: Score) -> None:
    """main evaluates on the test split once, after training, with the saved weights."""
    seen = visits(student, inputs)
    tests = seen.tests()
    if not tests:
        return _judge_untested(seen, score)
    if any(test.epoch < seen.last_epoch for test in tests):
        fail(
            "The test split is used during training.",
            hint="Select on validation only, and evaluate on test once at the end.",
            expected="1 evaluation, after the last epoch",
            actual=f"{len(tests)} evaluations on test",
        )
    if all(test.weights != _chosen_epoch(seen) for test in tests):
        fail(
            "The test accuracy is not that of the best weights.",
            hint="After training, the model has the last epoch's weights; load the best ones "
            "before the evaluation on test.",
            expected=f"weights of epoch {_chosen_epoch(seen)}",
            actual=f"weights of epoch {tests[-1].weights}",
            counterexample=_shown(seen),
        )


@pytest.mark.criterion("sst2-main", weight=1, depends_on=("main-is-written",))
def test_order_of_sentences(
    student: Student, sandbox: Student, inputs: Inputs, score: Score
) -> None:
    """Training sentences are shuffled; validation and test sentences are in order, each once."""
    seen = visits(student, inputs)
    for split, loader in _loaders(seen).items():
        _fail_without_collate(split, loader)
        if loader.raised and works_with_roberta(student, sandbox, inputs):
            fail(
                f"The dataloader of {split} raises an error.",
                hint="SST2Dataset works with RoBERTa's tokenizer. What does main pass to it?",
                actual=loader.raised,
            )
        orders, count = loader.orders, loader.count
        drawn = [*orders, loader.places] if split == "train" else orders
        shuffled = any(order != sorted(order) for order in drawn)
        if split == "train" and not shuffled:
            fail(
                "The training sentences are in the same order in every epoch.",
                hint="Use DataLoader(..., shuffle=True) for the training split.",
            )
        if split == "train" and orders[0] == orders[-1]:
            score.note("The training sentences are shuffled only once, not in every epoch.")
        if split != "train":
            _fail_unless_whole(split, orders[0], count, shuffled=shuffled)
        used = len(set(orders[0]))
        if used and used < loader.whole * (LEAST_TRAINED if split == "train" else 1):
            fail(
                f"main uses only a part of the sentences of {split}.",
                hint="Train, validate and test on all sentences; smaller subsets are for tests.",
                expected=f"{loader.whole} sentences",
                actual=f"{used} different ones",
            )


@pytest.mark.criterion("sst2-main", weight=1, depends_on=("main-is-written",))
def test_optimizer(student: Student, inputs: Inputs, score: Score) -> None:
    """AdamW trains the weights of the model that is evaluated."""
    seen = visits(student, inputs)
    optimizers = [visit.optimizer for visit in seen.of("train")]
    if frozen := min((optimizer.frozen for optimizer in optimizers), default=0):
        fail(
            "main freezes weights of the model in every epoch.",
            hint="The handout fine-tunes the whole model: leave requires_grad as it is, and give "
            "no weights the learning rate 0.",
            actual=f"{frozen} tensors",
        )
    for optimizer in optimizers:
        if not optimizer.name:
            fail("train_one_epoch is called without an optimizer.")
        if not optimizer.held:
            fail(
                "The optimizer has no weight of the model that is trained.",
                hint="Create it after the model, from model.parameters().",
            )
        if optimizer.held != optimizer.weights:
            fail(
                "The optimizer does not have all of the model's weights.",
                hint="Pass model.parameters(); the handout fine-tunes the whole model.",
                expected=f"{optimizer.weights} tensors",
                actual=f"{optimizer.held} tensors",
            )
        if not any(other.adamw for other in optimizers):  # Q4.5 compares others with it
            fail(
                f"main trains with {optimizer.name}.",
                hint="The handout's main uses AdamW; use other optimizers only in the experiments "
                "of Q4.5.",
                expected="AdamW",
            )
        _require_settings(optimizer)
    _require_rates(seen)
    require_device(student, inputs, "main")
    _note_settings(seen, score)


def _require_pretrained(seen: Visits) -> None:
    """Fail if the model is not a pretrained one with its own tokenizer, or begins again."""
    epochs = seen.of("train")
    first = next(iter(epochs), None)
    if first is None:
        return
    if first.untrained:
        fail(
            "The model is trained from random weights, not from pretrained ones.",
            hint="from_config makes a model without weights; use from_pretrained.",
        )
    if first.foreign:
        fail(
            f"main uses {first.foreign}.",
            hint="Load both from the same name: the ids of another tokenizer mean other words.",
        )
    if len(epochs) > 2 and all(epoch.before == 0 for epoch in epochs[1:]):
        fail(
            "Every epoch begins with the initial weights, so only one epoch is trained.",
            hint="Create the model once, before the loop over epochs.",
        )


def _require_current_file(seen: Visits) -> None:
    """Fail if the best weights are kept in memory, but the file has older ones."""
    if (file := seen.outdated_file()) is not None:
        fail(
            "The file with the saved weights is not up to date, so it can miss the best epoch.",
            hint="Save the weights in the branch of the improvement, after the best accuracy and "
            "the best weights are updated.",
            expected=f"weights of epoch {seen.best()}, written after that epoch",
            actual=f"weights of epoch {file.weights}, last written after epoch {file.epoch}",
            counterexample=_shown(seen),
        )


def _require_named_file(seen: Visits) -> None:
    """Fail if the best weights are only in memory, but a file that is named for them has others."""
    if file := seen.misnamed_file():
        fail(
            f"The file {file} does not contain the weights of the best epoch.",
            hint="Save the weights in the branch of the improvement, whenever the validation "
            "accuracy is a new best.",
            expected=f"weights of epoch {seen.best()}",
            actual=f"weights of epoch {seen.final_files()[file]}",
            counterexample=_shown(seen),
        )


def _require_first_epoch(student: Student, inputs: Inputs) -> None:
    """Fail if the first epoch is not kept when it is the best; what main raises then is unknown.

    What the first run of main left in its process must not matter, so a fresh one confirms it.
    """
    with suppress(StudentFault, Unavailable):
        seen = falling_visits(student, inputs)
        if _chosen_epoch(seen) == seen.best():
            return
        student.renew()
        seen = falling_visits(student, inputs)
        if seen.last_epoch and _chosen_epoch(seen) != seen.best():
            fail(
                "main does not save the weights of the first epoch when no later one is better.",
                hint="Begin with a best accuracy of 0 before the first epoch, and compare after "
                "every epoch of all runs.",
                expected=f"weights of epoch {seen.best()}",
                actual=f"weights of epoch {_chosen_epoch(seen)}",
                counterexample=_shown(seen),
            )


def _judge_untested(seen: Visits, score: Score) -> None:
    """Fail unless the test may be elsewhere, an error here prevents it, or the splits are wrong."""
    unknown = seen.ended is not None and not seen.is_own_error
    if unknown or seen.tests_elsewhere or not seen.evaluations("validation"):
        score.note("main does not evaluate on test; Q5.1 needs that accuracy.")
        return
    fail(
        "main does not evaluate on test.",
        hint="After training, load the best weights and call evaluate(model, test_dataloader): "
        "Q5.1 needs that accuracy.",
        expected="1 evaluation on test, after the last epoch",
        actual=f"{seen.ended} {seen.ended.where}".strip() if seen.ended else "none",
    )


def _chosen_epoch(seen: Visits) -> int:
    """Return the epoch whose weights main has chosen: those it tests, or those in its files.

    If weights were loaded for the test, they decide. Otherwise the model has the last epoch's
    weights, and the files decide, unless every epoch has its own file.
    """
    files = list(seen.final_files().values())
    tests = [test.weights for test in seen.tests() if test.epoch == seen.last_epoch]
    loaded = [weights for weights in tests if weights not in (seen.last_epoch, -1, 0)]
    if loaded:
        return loaded[-1]
    chosen = [epoch for epoch in files if epoch != seen.last_epoch]
    if seen.best() in files and len(set(files)) < max(2, seen.last_epoch):
        return seen.best()
    if len(set(chosen)) == 1:
        return chosen[0]
    return files[-1] if files else tests[-1] if tests else 0


def _known_mistake(student: Student, inputs: Inputs, seen: Visits, chosen_epoch: int) -> str:
    """Return the hint for the mistake that explains what main keeps in two runs, or a general one.

    With only one, other mistakes may keep the same epoch.
    """
    if not seen.validated():
        return "Evaluate on validation after each epoch, and choose by that accuracy."
    written = {visit.epoch for visit in seen.of("keep")}
    if chosen_epoch == seen.last_epoch and len(written) == seen.last_epoch > 1:
        return (
            "Weights are saved in every epoch. Save them only if the validation accuracy is higher "
            "than the best so far, and update the best accuracy then"
        ) + "."
    other = seen
    with suppress(StudentFault, Unavailable):
        other = second_visits(student, inputs)
    explained = (
        hint
        for keeps, hint in MISTAKES
        if chosen_epoch == keeps(seen) and _chosen_epoch(other) == keeps(other)
    )
    return next(explained, GENERAL)


def _shown(seen: Visits) -> dict[str, str]:
    """Return the accuracies that main received."""
    epochs = seen.validated()[:9]
    numbers = [f"{seen.accuracy('validation', epoch):.3f}" for epoch in epochs]
    return {"validation accuracy by epoch": ", ".join(numbers), "epochs": str(seen.last_epoch)}


def _loaders(seen: Visits) -> Mapping[str, Loader]:
    """Return the readable loaders; fail if the training split's is not among them."""
    if "train" not in seen.loaders:
        fail("train_one_epoch is not called with a dataloader of the training split.")
    return seen.loaders


def _fail_without_collate(split: str, loader: Loader) -> None:
    if loader.plain and "text_encoding" not in loader.names:
        fail(
            f"The dataloader of {split} does not use collate_fn.",
            hint="Use DataLoader(dataset, ..., collate_fn=dataset.collate_fn).",
            actual=loader.raised,
        )


def _fail_unless_whole(split: str, order: Sequence[int], count: int, *, shuffled: bool) -> None:
    if shuffled:
        fail(
            f"The sentences of {split} are shuffled.",
            hint="Only training needs a random order. Use shuffle=False here.",
        )
    if sorted(order) != list(range(count)):
        fail(
            f"The dataloader of {split} does not return every sentence once.",
            hint="Don't use drop_last or sampling with replacement where accuracy is measured.",
            expected=f"{count} sentences",
            actual=f"{len(set(order))} different ones",
        )


def _require_settings(optimizer: Optimizer) -> None:
    """Fail if no model can learn with these settings."""
    rate, eps = optimizer.settings.get("highest", USUAL["lr"]), optimizer.settings.get("eps", 0.0)
    if optimizer.maximizes:
        fail("The optimizer increases the loss.", hint="Omit maximize=True.")
    low = rate < LEAST_RATE and not optimizer.scheduled
    if low or not 0 < rate <= (MOST_FACTOR if optimizer.scheduled else MOST_RATE):
        fail(
            f"No model can be fine-tuned with the learning rate {rate:g}.",
            hint=f"The handout starts with {USUAL['lr']:g}.",
            actual=f"lr={rate:g}",
        )
    if optimizer.half and np.float16(eps) == 0:
        fail(
            f"In float16, eps={eps:g} is 0, so AdamW divides by zero and the weights become nan.",
            hint="Keep the weights in float32: use torch.autocast instead of model.half().",
            actual="float16",
        )
    if eps >= MOST_EPS:
        fail(
            f"With eps={eps:g}, AdamW hardly changes the weights.",
            hint="eps only prevents a division by zero, but here it is larger than the gradients; "
            f"the handout uses {USUAL['eps']:g}.",
            actual=f"eps={eps:g}",
        )


def _require_rates(seen: Visits) -> None:
    """Fail if a schedule sets the learning rate to 0 for most of the epochs."""
    rates = [visit.optimizer.settings.get("now", 1.0) for visit in seen.of("train")]
    if rates and rates[0] > 0 and 2 * rates.count(0.0) > len(rates):
        fail(
            f"The learning rate is 0 in {rates.count(0.0)} of {len(rates)} epochs.",
            hint="Give the scheduler the number of its steps in the whole training.",
            actual=", ".join(f"{rate:g}" for rate in rates[:9]),
        )


def _note_settings(seen: Visits, score: Any) -> None:
    """Add a note if learning rate or epsilon differ from the handout's; both may be tuned."""
    for name, usual in USUAL.items():
        for visit in seen.of("train")[:1]:
            value = visit.optimizer.settings.get(name, usual)
            if value != usual:
                score.note(
                    f"The optimizer has {name}={value:g}; the handout starts with {usual:g}."
                )
