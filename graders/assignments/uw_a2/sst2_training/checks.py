"""train_one_epoch, evaluate and compute_accuracy."""

import itertools
from typing import Any

import pytest

from graders.boundary.student import Student
from graders.checks.compare import fail
from graders.checks.inputs import Inputs
from graders.checks.score import Score

from ..sst2.calls import answer_once, first_that_holds, not_written, unreadable
from ..sst2.visits import visits
from .evaluations import CASES, EXPECTED, MISTAKES, Evaluated, evaluates
from .numbers import find, in_words
from .updates import COARSE, EXACT, Observed, learns, mistaken, require_device, require_long_epoch

Texts = list[list[int]]  # the ids of a batch, without padding

# Each of the oracle's mistakes with its hint.
UPDATES = {
    "never cleared": "Gradients accumulate over batches. Call optimizer.zero_grad() before each "
    "backward",
    "cleared once an epoch": "optimizer.zero_grad() is outside the loop over batches, so "
    "gradients accumulate within an epoch",
    "step once an epoch": "optimizer.step() is outside the loop over batches; step after each",
    "step once an epoch, last batch": "optimizer.step() is outside the loop over batches, and "
    "uses only the last batch",
    "sum of losses": "The losses of a batch are added, not averaged, so the step grows with the "
    "batch size",
    "last batch left out": "The last batch of each epoch is skipped",
    "first batch left out": "The first batch of each epoch is skipped",
    "labels exchanged": "The two classes are swapped",
    "no mask": "The model is called without the attention mask, so padding counts as text",
    "upwards": "The weights increase the loss instead of decreasing it",
}


@pytest.mark.criterion("sst2-training", weight=0)
def test_training_is_written(student: Student, sandbox: Student, inputs: Inputs) -> None:
    """Prerequisite: train_one_epoch changes the model."""

    def claim(observed: Observed) -> None:
        if not observed.moved and observed.steps:
            fail(
                "train_one_epoch calls step, but no weight of the model changes.",
                hint="The order is zero_grad, backward, step: step needs the gradients of this "
                "batch.",
            )
        if not observed.moved:
            not_written(
                "train_one_epoch leaves every weight of the model unchanged: "
                f"optimizer.step() was called {len(observed.steps)} times."
            )

    learns(student, sandbox, inputs, claim)


@pytest.mark.criterion("sst2-training", weight=2, depends_on=("training-is-written",))
def test_batches(student: Student, sandbox: Student, inputs: Inputs) -> None:
    """An epoch trains on every batch once, in order, with one optimizer step after each."""
    learns(student, sandbox, inputs, _one_step_a_batch)
    require_long_epoch(student, inputs)
    require_device(student, inputs, "train_one_epoch")


@pytest.mark.criterion("sst2-training", weight=4, depends_on=("training-is-written",))
def test_updates(student: Student, sandbox: Student, inputs: Inputs, score: Score) -> None:
    """After two epochs the weights are those of gradient descent on the batches' mean losses."""

    def claim(observed: Observed) -> None:
        if still := observed.still():
            fail(
                "train_one_epoch leaves some of the model's weights unchanged.",
                hint="The handout fine-tunes the whole model: leave requires_grad as it is, and "
                "compute the logits outside torch.no_grad().",
                actual=", ".join(still)[:200],
            )
        if observed.error <= EXACT:
            return
        name = observed.nearest(mistaken(sandbox, inputs, list(UPDATES)))
        if observed.error <= COARSE and not name:
            score.note(
                "The updates are correct to two digits only, as in lower precision than float32 or "
                "with slightly smoothed labels."
            )
            return
        fail(
            "After two epochs the weights are not those of gradient descent.",
            hint=f"{UPDATES[name]}."
            if name
            else "For each batch: zero_grad, loss of the model's logits, backward, step.",
            actual=f"off by {100 * min(observed.error, 99):.0f}% of the update",
            counterexample={"batches": "sizes 4, 4 and 3", "optimizer": "SGD"},
        )

    learns(student, sandbox, inputs, claim)


@pytest.mark.criterion("sst2-training", weight=2, depends_on=("training-is-written",))
def test_training_mode(student: Student, sandbox: Student, inputs: Inputs) -> None:
    """The model is in training mode during training, even after an evaluation."""

    def claim(observed: Observed) -> None:
        learning = [t for t, g in zip(observed.training, observed.gradient, strict=True) if g]
        if not all(learning):
            fail(
                "The model is trained in eval mode, so dropout is off.",
                hint="evaluate switches the model to eval mode, so call model.train() at the start "
                "of train_one_epoch.",
            )

    def by_main() -> None:
        epochs = visits(student, inputs).of("train")
        if not epochs or not all(epoch.training for epoch in epochs):
            fail("main does not set the mode either.")

    first_that_holds([lambda: learns(student, sandbox, inputs, claim), by_main])


@pytest.mark.criterion("sst2-training", weight=0)
def test_evaluation_is_written(student: Student, inputs: Inputs) -> None:
    """Prerequisite: evaluate uses the model."""

    def claim(evaluated: Evaluated) -> None:
        if not any(evaluated.training) and not evaluated.passes:
            not_written("evaluate never calls the model.")

    evaluates(student, inputs, claim)


@pytest.mark.criterion("sst2-training", weight=3, depends_on=("evaluation-is-written",))
def test_accuracy_of_all(student: Student, inputs: Inputs, score: Score) -> None:
    """evaluate returns the fraction of correctly classified sentences, for any batch size."""

    def claim(evaluated: Evaluated) -> None:
        if not all(evaluated.masked):
            fail(
                "evaluate calls the model without the attention mask, so padding counts as text.",
                hint="Pass attention_mask with input_ids, or call model(**text_encoding).",
            )
        if not all(evaluated.whole):
            fail(
                "evaluate passes only a part of each text to the model.",
                hint="Pass input_ids and attention_mask as they are in the batch, or call "
                "model(**text_encoding).",
            )
        accuracy = find(evaluated.returned, EXPECTED)
        if accuracy is not None:
            if accuracy.note:
                score.note(accuracy.note)
            return
        actual = evaluated.returned
        name = next((text for text, accuracies in MISTAKES.items() if find(actual, accuracies)), "")
        shown = zip(CASES, evaluated.returned, EXPECTED, strict=True)
        case, actual, right = next(
            (row for row in shown if not find([row[1]], [row[2]])),
            (CASES[0], evaluated.returned[0], EXPECTED[0]),
        )
        fail(
            "evaluate does not return the accuracy.",
            hint=f"{name}."
            if name
            else "Count the correct predictions in all batches; divide by the number of sentences.",
            expected=f"{right:.6g}",
            actual=in_words(actual),
            counterexample={"sentences": str(case.count), "batch size": str(case.size)},
        )

    evaluates(student, inputs, claim)
    require_device(student, inputs, "evaluate")


@pytest.mark.criterion("sst2-training", weight=1, depends_on=("evaluation-is-written",))
def test_eval_mode(student: Student, inputs: Inputs) -> None:
    """The model is in eval mode during evaluation."""

    def claim(evaluated: Evaluated) -> None:
        if any(evaluated.training):
            fail(
                "The model is evaluated in training mode, so dropout is on.",
                hint="Call model.eval() at the start of evaluate.",
            )

    def by_main() -> None:
        if any(evaluation.training for evaluation in visits(student, inputs).evaluations()):
            fail("main does not set the mode either.")

    first_that_holds([lambda: evaluates(student, inputs, claim), by_main])


@pytest.mark.criterion("sst2-training", weight=1, depends_on=("evaluation-is-written",))
def test_no_gradient(student: Student, inputs: Inputs) -> None:
    """Gradients are not tracked during evaluation."""

    def claim(evaluated: Evaluated) -> None:
        if any(evaluated.gradient):
            fail(
                "The model is evaluated with gradients tracked.",
                hint="Put the loop of evaluate inside `with torch.no_grad():`.",
            )

    def by_main() -> None:
        if any(evaluation.gradient for evaluation in visits(student, inputs).evaluations()):
            fail("main does not disable gradients either.")

    first_that_holds([lambda: evaluates(student, inputs, claim), by_main])


@pytest.mark.criterion("sst2-training", weight=1, depends_on=("evaluation-is-written",))
def test_nothing_changed(student: Student, inputs: Inputs) -> None:
    """evaluate does not change weights, buffers or gradients, or hinder later training."""

    def claim(evaluated: Evaluated) -> None:
        if evaluated.changed:
            fail(
                "evaluate changes the model.",
                hint="Evaluation only reads the model: no backward, no step, no zero_grad.",
                actual=", ".join(evaluated.changed)[:200],
            )
        if evaluated.held_back:
            fail(
                "After evaluate, train_one_epoch no longer changes all the weights that it should.",
                hint="Use `with torch.no_grad():`, which ends with its block; requires_grad and "
                "torch.set_grad_enabled() stay as they are set.",
            )

    evaluates(student, inputs, claim)


@pytest.mark.criterion("sst2-training", weight=2)
def test_compute_accuracy(student: Student, inputs: Inputs, score: Score) -> None:
    """compute_accuracy returns the fraction of equal entries, for any size and any accuracy."""
    cases = _cases(inputs)
    expected = [_share(case) for case in cases]
    kinds = answer_once(
        student,
        "accuracies",
        lambda: student.call("sst2_accuracies", cases=list(cases), read=_accuracies),
    )
    for replies in kinds.values():
        accuracy = find(replies, expected) if len(replies) == len(cases) else None
        if accuracy is not None:
            if accuracy.note:
                score.note(accuracy.note)
            return
    kind, replies = next(iter(kinds.items()))
    _fail_accuracy(cases, replies, kind)


def _accuracies(reply: Any) -> dict[str, list[Any]]:
    """Return the results of all cases, for each type of predictions and labels."""
    kinds = {str(kind): results for kind, results in reply.items() if isinstance(results, list)}
    if not kinds:
        unreadable()
    return kinds


def _one_step_a_batch(observed: Observed) -> None:
    seen = observed.batches_seen()
    right = [[ids.tolist() for ids in batch] for batch in observed.right_ids]
    if seen != right:
        fail(
            "The model is not trained on every batch of the dataloader once and in order.",
            hint=_batches_hint(seen, right),
            expected=f"{len(right)} batches in two epochs",
            actual=f"{len(seen)} batches",
        )
    if len(observed.steps) != len(right) or len(set(observed.steps)) != len(right):
        fail(
            "The number of optimizer steps is not one per batch.",
            hint="Call optimizer.step() once, inside the loop over batches.",
            expected=f"{len(right)} steps in two epochs",
            actual=f"{len(observed.steps)} steps",
        )


def _batches_hint(seen: list[Texts], right: list[Texts]) -> str:
    if sorted(seen) == sorted(right):
        return "The order differs."
    if [len(batch) for batch in seen] == [len(batch) for batch in right]:
        pairs = zip(itertools.chain(*seen), itertools.chain(*right), strict=True)
        if all(ids == whole[: len(ids)] for ids, whole in pairs):
            return "The model gets only the first tokens of each text. Pass input_ids as they are."
    return "Iterate over the dataloader once per epoch; the last batch is smaller but counts too."


def _cases(inputs: Inputs) -> list[dict[str, Any]]:
    """Return random predictions and labels, and some fixed cases."""
    source = inputs.random("accuracies")
    labels = [source.randint(0, 1) for _ in range(source.choice((7, 9, 11)))]
    wrong = source.sample(range(len(labels)), source.randint(1, 3))
    some = [1 - n if at in wrong else n for at, n in enumerate(labels)]
    pairs = [(some, labels), (labels, labels), ([1 - n for n in labels], labels)]
    pairs += [([1], [1]), ([0], [1]), ([0, 0, 0, 1], [0, 0, 1, 1])]
    return [{"predictions": list(predicted), "labels": list(true)} for predicted, true in pairs]


def _share(case: dict[str, list[int]]) -> float:
    pairs = list(zip(case["predictions"], case["labels"], strict=True))
    return sum(predicted == true for predicted, true in pairs) / len(pairs)


def _fail_accuracy(cases: list[dict[str, list[int]]], replies: list[Any], kind: str) -> None:
    wrong = [
        (case, reply)
        for case, reply in zip(cases, replies, strict=False)
        if find([reply], [_share(case)]) is None
    ]
    case, reply = wrong[0] if wrong else (cases[0], replies[0] if replies else None)
    counts = [_share(case) * len(case["labels"]) for case in cases]
    errors = [1 - _share(case) for case in cases]
    hint = "Divide the number of correct predictions by the number of labels."
    if find(replies, counts):
        hint = "This is the number of correct predictions; divide it by the number of labels."
    elif find(replies, errors):
        hint = "This is the error rate (1 - accuracy)."
    fail(
        "compute_accuracy does not return the fraction of correct predictions.",
        hint=hint,
        expected=f"{_share(case):.6g}",
        actual=in_words(reply),
        counterexample={"predictions": str(case["predictions"]), "labels": str(case["labels"]),
                        "type": kind},
    )  # fmt: skip
