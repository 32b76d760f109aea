"""train_one_epoch, evaluate and compute_accuracy."""

from typing import Any

import pytest
from a2_sst2_asked import asked, first_that_holds, not_written, unreadable
from a2_sst2_evaluations import CASES, MISTAKES, Evaluated, evaluates
from a2_sst2_numbers import find, in_words
from a2_sst2_updates import COARSE, EXACT, Observed, learns, mistaken
from a2_sst2_visits import visits

from graders.checks.compare import fail
from graders.checks.inputs import Inputs

# Each mistake of the oracle's with what to say about it.
UPDATES = {
    "never cleared": "Gradients add up from batch to batch: call optimizer.zero_grad() before each "
    "backward",
    "cleared once an epoch": "optimizer.zero_grad() stands outside the loop over batches, so "
    "gradients add up within an epoch",
    "step once an epoch": "optimizer.step() stands outside the loop over batches: step after each",
    "step once an epoch, last batch": "optimizer.step() stands outside the loop over batches, and "
    "knows the last batch alone",
    "sum of losses": "The losses of a batch are added, not averaged: the step then grows with its "
    "size",
    "last batch left out": "The last batch of each epoch is left out",
    "first batch left out": "The first batch of each epoch is left out",
    "labels exchanged": "The two classes are exchanged",
    "upwards": "The weights move up the loss, not down",
}


@pytest.mark.criterion("sst2-training", weight=0)
def test_training_is_written(student, sandbox, inputs):
    """train_one_epoch changes the model; what holds of code that does not is not counted."""

    def claim(observed: Observed) -> None:
        if not observed.moved and observed.steps:
            fail(
                "train_one_epoch steps, but no weight of the model changes.",
                hint="The order is zero_grad, backward, step: at step the gradients of this batch "
                "must be there.",
            )
        if not observed.moved:
            not_written(
                "train_one_epoch leaves every weight of the model as it was: "
                f"optimizer.step() was called {len(observed.steps)} times."
            )

    learns(student, sandbox, inputs, claim)


@pytest.mark.criterion("sst2-training", weight=2, depends_on=("training-is-written",))
def test_batches(student, sandbox, inputs):
    """An epoch learns from every batch once, in order, with one optimizer step after each."""
    learns(student, sandbox, inputs, _one_step_a_batch)


@pytest.mark.criterion("sst2-training", weight=4, depends_on=("training-is-written",))
def test_updates(student, sandbox, inputs, score):
    """After two epochs the weights are those of gradient descent on the batches' mean losses."""

    def claim(observed: Observed) -> None:
        if observed.error <= EXACT:
            return
        name = observed.nearest(mistaken(sandbox, inputs, list(UPDATES)))
        if observed.error <= COARSE and not name:
            score.note("The updates are right to two digits: they are not computed in float32.")
            return
        fail(
            "After two epochs the weights are not those of gradient descent.",
            hint=f"{UPDATES[name]}."
            if name
            else "For each batch: zero_grad, the loss of the model's logits, backward, step.",
            actual=f"off by {100 * min(observed.error, 99):.0f} % of the update",
            counterexample={"batches": "sizes 4, 4 and 3", "optimizer": "SGD"},
        )

    learns(student, sandbox, inputs, claim)


@pytest.mark.criterion("sst2-training", weight=2, depends_on=("training-is-written",))
def test_training_mode(student, sandbox, inputs):
    """While it learns, the model is in training mode, also after an evaluation."""

    def claim(observed: Observed) -> None:
        learning = [t for t, g in zip(observed.training, observed.gradient, strict=True) if g]
        if not all(learning):
            fail(
                "The model learns in eval mode: its dropout is off.",
                hint="evaluate leaves the model in eval mode, so call model.train() at the start "
                "of train_one_epoch.",
            )

    def by_main() -> None:
        epochs = visits(student, inputs).of("train")
        if not epochs or not all(each.training for each in epochs):
            fail("main does not set it either.")

    first_that_holds([lambda: learns(student, sandbox, inputs, claim), by_main])


@pytest.mark.criterion("sst2-training", weight=0)
def test_evaluation_is_written(student, inputs):
    """evaluate asks the model; what holds of code that does not is not counted."""

    def claim(evaluated: Evaluated) -> None:
        if not any(evaluated.training) and not evaluated.passes:
            not_written("evaluate does not ask the model for a single prediction.")

    evaluates(student, inputs, claim)


@pytest.mark.criterion("sst2-training", weight=3, depends_on=("evaluation-is-written",))
def test_accuracy_of_all(student, inputs, score):
    """evaluate gives the share of all sentences that are classified rightly, batched anyhow."""

    def claim(evaluated: Evaluated) -> None:
        if not all(evaluated.masked):
            fail(
                "evaluate asks the model without the attention mask: padding counts as text.",
                hint="Pass attention_mask beside input_ids, or model(**text_encoding).",
            )
        found = find(evaluated.returned, evaluated.expected)
        if found is not None:
            if found.note:
                score.note(found.note)
            return
        came = evaluated.returned
        name = next((said for said, of in MISTAKES.items() if find(came, of(evaluated))), "")
        shown = zip(CASES, evaluated.returned, evaluated.expected, strict=True)
        case, came, right = next(
            (each for each in shown if not find([each[1]], [each[2]])),
            (CASES[0], evaluated.returned[0], evaluated.expected[0]),
        )
        fail(
            "evaluate does not give the accuracy.",
            hint=f"{name}."
            if name
            else "Count what is right in all batches, divide by the number of sentences.",
            expected=f"{right:.6g}",
            actual=in_words(came),
            counterexample={"sentences": str(case.count), "batch size": str(case.size)},
        )

    evaluates(student, inputs, claim)


@pytest.mark.criterion("sst2-training", weight=1, depends_on=("evaluation-is-written",))
def test_eval_mode(student, inputs):
    """While it is evaluated, the model is in eval mode."""

    def claim(evaluated: Evaluated) -> None:
        if any(evaluated.training):
            fail(
                "The model is evaluated in training mode: its dropout is on.",
                hint="Call model.eval() at the start of evaluate.",
            )

    def by_main() -> None:
        if any(each.training for each in visits(student, inputs).evaluations()):
            fail("main does not set it either.")

    first_that_holds([lambda: evaluates(student, inputs, claim), by_main])


@pytest.mark.criterion("sst2-training", weight=1, depends_on=("evaluation-is-written",))
def test_no_gradient(student, inputs):
    """While it is evaluated, no gradient is tracked."""

    def claim(evaluated: Evaluated) -> None:
        if any(evaluated.gradient):
            fail(
                "The model is evaluated with gradients tracked.",
                hint="Put the loop of evaluate below `with torch.no_grad():`.",
            )

    def by_main() -> None:
        if any(each.gradient for each in visits(student, inputs).evaluations()):
            fail("main does not switch it off either.")

    first_that_holds([lambda: evaluates(student, inputs, claim), by_main])


@pytest.mark.criterion("sst2-training", weight=1, depends_on=("evaluation-is-written",))
def test_nothing_changed(student, inputs):
    """evaluate leaves weights, buffers and gradients as they are."""

    def claim(evaluated: Evaluated) -> None:
        if evaluated.changed:
            fail(
                "evaluate changes the model.",
                hint="It only reads: no backward, no step, no zero_grad.",
                actual=", ".join(evaluated.changed)[:200],
            )

    evaluates(student, inputs, claim)


@pytest.mark.criterion("sst2-training", weight=2)
def test_compute_accuracy(student, inputs, score):
    """compute_accuracy gives the share of equal entries: for one, for none right, for all right."""
    cases = _cases(inputs)
    expected = [_share(case) for case in cases]
    kinds = asked(
        student,
        "accuracies",
        lambda: student.call("sst2_accuracies", cases=cases, read=_accuracies),
    )
    for came in kinds.values():
        found = find(came, expected) if len(came) == len(cases) else None
        if found is not None:
            if found.note:
                score.note(found.note)
            return
    kind, came = next(iter(kinds.items()))
    _fail_accuracy(cases, came, kind)


def _accuracies(reply: Any) -> dict[str, list[Any]]:
    """What came of all cases, for each way of giving predictions and labels."""
    kinds = {str(kind): found for kind, found in reply.items() if isinstance(found, list)}
    if not kinds:
        unreadable()
    return kinds


def _one_step_a_batch(observed: Observed) -> None:
    seen = observed.batches_seen()
    right = [[ids.tolist() for ids in batch] for batch in observed.right_ids]
    if seen != right:
        in_order = sorted(seen) == sorted(right)
        fail(
            "The model does not learn from every batch of the dataloader once and in order.",
            hint="The order differs."
            if in_order
            else "Go through the dataloader once an epoch; "
            "the last batch is smaller and counts, too.",
            expected=f"{len(right)} batches in two epochs",
            actual=f"{len(seen)} batches",
        )
    if len(observed.steps) != len(right) or len(set(observed.steps)) != len(right):
        fail(
            "There is not one optimizer step for each batch.",
            hint="optimizer.step() belongs inside the loop over batches, once.",
            expected=f"{len(right)} steps in two epochs",
            actual=f"{len(observed.steps)} steps",
        )


def _cases(inputs: Inputs) -> list[dict[str, list[int]]]:
    """Drawn predictions and labels; the hand cases are among them."""
    source = inputs.random("accuracies")
    labels = [source.randint(0, 1) for _ in range(source.choice((7, 9, 11)))]
    wrong = source.sample(range(len(labels)), source.randint(1, 3))
    some = [1 - n if at in wrong else n for at, n in enumerate(labels)]
    pairs = [(some, labels), (labels, labels), ([1 - n for n in labels], labels)]
    pairs += [([1], [1]), ([0], [1]), ([0, 0, 0, 1], [0, 0, 1, 1])]
    return [{"predictions": list(said), "labels": list(true)} for said, true in pairs]


def _share(case: dict[str, list[int]]) -> float:
    pairs = list(zip(case["predictions"], case["labels"], strict=True))
    return sum(said == true for said, true in pairs) / len(pairs)


def _fail_accuracy(cases: list[dict[str, list[int]]], came: list[Any], kind: str) -> None:
    wrong = [
        (case, reply)
        for case, reply in zip(cases, came, strict=False)
        if find([reply], [_share(case)]) is None
    ]
    case, reply = wrong[0] if wrong else (cases[0], came[0] if came else None)
    counts = [_share(each) * len(each["labels"]) for each in cases]
    errors = [1 - _share(each) for each in cases]
    hint = "The number that is right, divided by the number of labels."
    if find(came, counts):
        hint = "This is how many are right; divide it by the number of labels."
    elif find(came, errors):
        hint = "This is the share that is wrong."
    fail(
        "compute_accuracy does not give the share of predictions that are right.",
        hint=hint,
        expected=f"{_share(case):.6g}",
        actual=in_words(reply),
        counterexample={"predictions": str(case["predictions"]), "labels": str(case["labels"]),
                        "given as": kind},
    )  # fmt: skip
