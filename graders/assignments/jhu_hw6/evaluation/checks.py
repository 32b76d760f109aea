"""evaluate_model: the accuracy of a model, without side effects on the model."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from graders.boundary.student import Student
from graders.checks.compare import describe, fail, is_close
from graders.checks.inputs import Inputs
from graders.checks.score import Score
from graders.errors import BadReply, GraderFault

from ..batches import LONG, STOPPED, Batch, Task, draw_batch, draw_weights, part, predicted
from ..files import in_each_file
from ..replies import Floats, number, sequence
from ..training.runs import require_device
from ..unwritten import require_own_work

NAME = "evaluate_model"
PURPOSES = ("evaluation", *(f"evaluation again {number}" for number in range(1, 5)))
ITEMS, CANDIDATES, VOCABULARY = 11, 60, 80
TURNED = 3  # items that the model gets wrong without the attention mask
SIZE = 4  # of a batch; the last one has three
ASKED = 3  # questions: a number other than the accuracy may be the same for flipped labels, too
MOST_DRAWS = 50  # until no known mistake gives the accuracy; two or three are usual
MARGIN = 0.2  # between the logits of the least clear item, so its probability is 0.55
WRITTEN = ("accuracy-comes-back",)
UNMASKED = "The model is called without the attention mask, so padding counts as text"
KEPT = "Keep nothing from one call to the next: the model is trained in between."


@dataclass(frozen=True, slots=True)
class Question:
    """A model and labeled items, some of which it classifies correctly.

    `unmasked` are the items that it classifies correctly without the attention mask, `across` those
    with a softmax over the items of a batch.
    """

    weights: Mapping[str, Floats]
    batch: Batch
    right: Sequence[bool]
    unmasked: Sequence[bool]
    across: Sequence[bool]

    @property
    def accuracy(self) -> float:
        """The accuracy of the model."""
        return sum(self.right) / len(self.right)

    @property
    def mistakes(self) -> Mapping[str, float]:
        """The results of known mistakes, by their descriptions."""
        groups = [self.right[i : i + SIZE] for i in range(0, ITEMS, SIZE)]
        count = sum(self.right)
        return {
            "This is the mean of the batch accuracies, but the last batch is smaller": (
                sum(sum(group) / len(group) for group in groups) / len(groups)
            ),
            "This is a percentage; return a fraction between 0 and 1": 100 * self.accuracy,
            "This is the error rate (1 - accuracy), or the two classes are swapped": 1
            - self.accuracy,
            "This is the accuracy of the last batch only": sum(groups[-1]) / len(groups[-1]),
            "This is the accuracy of the first batch only": sum(groups[0]) / len(groups[0]),
            "The last batch, which is smaller, is left out": sum(map(sum, groups[:-1]))
            / (ITEMS - len(groups[-1])),
            "This is the count of correct predictions; divide by the number of items": float(count),
            "Divide by the number of items, not by batches times batch size": count
            / (len(groups) * SIZE),
            "Divide by the number of items, not by the number of batches": count / len(groups),
            UNMASKED: (sum(self.unmasked) / len(self.unmasked)),
            "The softmax is over the items of the batch, not over the two logits (dim=-1)": (
                sum(self.across) / len(self.across)
            ),
            **self._other_scores,
        }

    @property
    def _other_scores(self) -> Mapping[str, float]:
        """The scores of the two classes that are mistaken for the accuracy."""
        labels, right = self.batch["labels"], np.asarray(self.right)
        answers = np.where(right, labels, 1 - labels)
        hits, answered, there = (
            np.array([np.count_nonzero(classes == label) for label in range(2)])
            for classes in (labels[right], answers, labels)
        )
        recalls, f1 = hits / np.maximum(there, 1), 2 * hits / np.maximum(answered + there, 1)
        return {
            "This is the mean recall of the two classes, not the accuracy": float(recalls.mean()),
            "This is the F1 score of class 1, not the accuracy": float(f1[1]),
            "This is the mean F1 score of the two classes, not the accuracy": float(f1.mean()),
            "This is the weighted F1 score of the two classes, not the accuracy": float(
                f1 @ there / there.sum()
            ),
        }


@dataclass(frozen=True, slots=True)
class Seen:
    """The observations during an evaluation.

    `modes` contains, for each forward pass, whether it was in training mode and whether gradients
    were enabled; `masked` whether its mask hides padding. `again` is the result after the model
    has changed all its answers. `dropout` says that the probability of dropout is what it was, and
    `held_back` that train() changes less of the model afterwards. The others are names of
    parameters.
    """

    modes: Sequence[tuple[bool, bool]]
    masked: Sequence[bool]
    changed: Sequence[str]
    graded: Sequence[str]
    again: Any
    dropout: bool
    held_back: bool


@pytest.mark.criterion("evaluation", weight=0)
def test_accuracy_comes_back(
    student: Student, inputs: Inputs, sandbox: Student, score: Score
) -> None:
    """Prerequisite: evaluate_model returns a number that depends on predictions and labels."""
    require_own_work(student, sandbox, inputs, NAME)
    questions = [_question(inputs, sandbox, purpose) for purpose in PURPOSES[:ASKED]]
    pairs = [
        (
            question,
            replace(question, batch={**question.batch, "labels": 1 - question.batch["labels"]}),
        )
        for question in questions
    ]

    def judge(file: str) -> None:
        replies = [
            (_accuracy(value), seen.modes)
            for pair in pairs
            for question in pair
            for value, seen in _evaluations(student, question, [SIZE], file)
        ]
        if not all(modes for _, modes in replies):
            fail(
                "evaluate_model does not call the model.",
                hint="Call it on every batch of the dataloader.",
            )
        numbers = [number for number, _ in replies]
        if is_close(numbers[::2], numbers[1::2], "share"):
            fail(
                "evaluate_model returns the same number when all labels are flipped.",
                hint="Compare the argmax over the two logits with the labels of the batch.",
            )

    in_each_file(student, score, NAME, judge)


@pytest.mark.criterion("evaluation", weight=2, depends_on=WRITTEN)
def test_accuracy_is_counted(
    student: Student, inputs: Inputs, sandbox: Student, score: Score
) -> None:
    """The accuracy is the fraction of correct predictions, even with a smaller last batch."""
    question = _question(inputs, sandbox)

    def judge(file: str) -> None:
        def ask(question: Question) -> float:
            ((value, _),) = _evaluations(student, question, [SIZE], file)
            return _accuracy(value, score)

        ((value, seen),) = _evaluations(student, question, [SIZE], file)
        wrong_mask = None if all(seen.masked) else UNMASKED
        accuracy = _accuracy(value, score)

        def known_mistake() -> str | None:
            if not is_close(ask(question), accuracy, "share"):
                return KEPT
            mistake = _known_mistake(inputs, sandbox, ask) or wrong_mask
            return f"{mistake}." if mistake else None

        _require_accuracy(question, accuracy, known_mistake)
        if not is_close(_accuracy(seen.again), 1 - question.accuracy, "share"):
            fail(
                "evaluate_model does not evaluate the same model and batches a second time.",
                hint=KEPT,
            )
        if wrong_mask:
            fail(
                "evaluate_model does not call the model with the batch's attention mask.",
                hint=f"{wrong_mask}.",
            )
        long = _repeated(question)
        reached = ask(long)
        if not is_close(reached, long.accuracy, "share"):
            fail(
                "The evaluation ends before the last batch.",
                hint=STOPPED,
                expected=f"{long.accuracy:.4f} for {LONG} batches",
                actual=f"{reached:.4f}",
            )
        task = Task(question.weights, question.batch, question.batch)
        require_device(student, task, NAME, file)

    in_each_file(student, score, NAME, judge)


@pytest.mark.criterion("evaluation", depends_on=WRITTEN)
def test_batch_size_does_not_matter(
    student: Student, inputs: Inputs, sandbox: Student, score: Score
) -> None:
    """The accuracy doesn't depend on the batch size."""
    question = _question(inputs, sandbox)

    def judge(file: str) -> None:
        sizes = [ITEMS, 1, SIZE, 3]
        replies = _evaluations(student, question, [*sizes, ITEMS], file)
        *accuracies, again = (_accuracy(value) for value, _ in replies)
        if not is_close(accuracies, [accuracies[0]] * len(accuracies), "share"):
            fail(
                "The accuracy depends on the batch size.",
                hint="Count correct predictions and items over all batches, then divide once."
                if is_close(again, accuracies[0], "share")
                else KEPT,
                counterexample={
                    f"batch size {size}": f"{accuracy:.4f}"
                    for size, accuracy in zip(sizes, accuracies, strict=True)
                },
            )

    in_each_file(student, score, NAME, judge)


@pytest.mark.criterion("evaluation", depends_on=WRITTEN)
def test_model_is_in_evaluation_mode(
    student: Student, inputs: Inputs, sandbox: Student, score: Score
) -> None:
    """The model is in evaluation mode during evaluation, so dropout is off."""
    question = _question(inputs, sandbox)

    def judge(file: str) -> None:
        for _, seen in _evaluations(student, question, [SIZE, SIZE], file, dropout=0.5):
            if not seen.modes or any(training for training, _ in seen.modes):
                fail(
                    "The model is evaluated in training mode, so dropout is on.",
                    hint="Call model.eval() before the loop.",
                )
            if any(graded for _, graded in seen.modes):
                score.note("Gradients are tracked during evaluation; torch.no_grad() saves memory.")

    in_each_file(student, score, NAME, judge)


@pytest.mark.criterion("evaluation", depends_on=WRITTEN)
def test_model_is_left_as_it_was(
    student: Student, inputs: Inputs, sandbox: Student, score: Score
) -> None:
    """Evaluation doesn't change weights, leave gradients behind, or hinder later training."""
    question = _question(inputs, sandbox)

    def judge(file: str) -> None:
        for _, seen in _evaluations(student, question, [SIZE], file, dropout=0.5):
            if seen.changed:
                fail(
                    "The evaluation changes weights of the model.",
                    hint="Don't call optimizer.step() during evaluation.",
                    actual=", ".join(seen.changed[:4])[:200],
                )
            if seen.graded:
                fail(
                    "The evaluation leaves gradients behind; the next step would use them.",
                    hint="Don't call backward() during evaluation.",
                )
            if seen.held_back:
                fail(
                    "After an evaluation, train no longer changes all the weights that it should.",
                    hint="Use `with torch.no_grad():`, which ends with its block; requires_grad "
                    "and torch.set_grad_enabled() stay as they are set.",
                )
            if not seen.dropout:
                fail(
                    "The evaluation changes the model's dropout for good.",
                    hint="model.eval() turns dropout off until model.train().",
                )

    in_each_file(student, score, NAME, judge)


def _question(inputs: Inputs, sandbox: Student, purpose: str = "evaluation") -> Question:
    """Return items for which every known mistake gives a number other than the accuracy."""
    source = inputs.generator(purpose)
    for _ in range(MOST_DRAWS):
        question = _drawn(source, sandbox)
        if not any(
            is_close(value, question.accuracy, "share") for value in question.mistakes.values()
        ):
            return question
    raise GraderFault("no items tell every known mistake from the accuracy")


def _drawn(source: np.random.Generator, sandbox: Student) -> Question:
    """Return a model and items that show most mistakes.

    The model's answers are clear, but not its probabilities, and it gives one answer to the whole
    first batch. Without the mask, it would change its answer to some of the items that it
    classifies correctly.
    """
    weights = draw_weights(source, VOCABULARY)
    batch = draw_batch(source, CANDIDATES, VOCABULARY)
    whole = {**batch, "attention_mask": np.ones_like(batch["attention_mask"])}
    logits, blind = (predicted(sandbox, weights, inputs) for inputs in (batch, whole))
    margins = [scores[:, 1] - scores[:, 0] for scores in (logits, blind)]
    clear = np.argsort(-np.minimum(*map(np.abs, margins)))
    turns = margins[0][clear] * margins[1][clear] < 0
    right = np.ones(ITEMS, dtype=bool)
    right[source.integers(0, SIZE)] = False
    right[2 * SIZE + source.permutation(ITEMS - 2 * SIZE)[:2]] = False
    chosen, turned = _alike_first(clear[~turns], logits.argmax(-1)), np.zeros(ITEMS, dtype=bool)
    later = source.permutation(SIZE + np.flatnonzero(right[SIZE:]))
    places = later[: min(TURNED, int(turns.sum()))]
    chosen[places], turned[places] = clear[turns][: len(places)], True
    factor = MARGIN / np.abs(margins[0][chosen]).min()
    logits = factor * logits[chosen]
    answers = logits.argmax(-1)
    labels = np.where(right, answers, 1 - answers)
    # Logits of one sign say nothing about the answers; a sigmoid of one of them would.
    shift = 3 * np.abs(logits).max() * (1 if labels.sum() != right.sum() else -1)
    head = {
        "classifier.weight": factor * weights["classifier.weight"],
        "classifier.bias": factor * weights["classifier.bias"] + shift,
    }
    return Question(
        {**weights, **{name: weight.astype(np.float32) for name, weight in head.items()}},
        {**part(batch, chosen), "labels": labels},
        right.tolist(),
        (right ^ turned).tolist(),
        (_answers_across(logits) == labels).tolist(),
    )


def _repeated(question: Question) -> Question:
    """Return the same items again and again; only those in the first half of the batches are right.

    So an evaluation that stops earlier gives a higher accuracy.
    """
    rows = np.arange(LONG * SIZE) % ITEMS
    right = np.arange(len(rows)) < len(rows) // 2
    batch, are_right = part(question.batch, rows), np.asarray(question.right)[rows]
    labels = np.where(right == are_right, batch["labels"], 1 - batch["labels"])
    return replace(question, batch={**batch, "labels": labels}, right=right.tolist())


def _alike_first(rows: NDArray[np.intp], answers: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the first of these rows, after a batch of rows that have the more common answer."""
    common = answers[rows] == np.bincount(answers[rows]).argmax()
    first = np.flatnonzero(common)[:SIZE]
    return np.concatenate((rows[first], np.delete(rows, first)))[:ITEMS]


def _answers_across(logits: Floats) -> NDArray[np.intp]:
    """Return the answers after a softmax over the items of each batch."""
    batches = [logits[i : i + SIZE] for i in range(0, ITEMS, SIZE)]
    shares = [np.exp(batch - batch.max(0)) for batch in batches]
    return np.concatenate([(share / share.sum(0)).argmax(-1) for share in shares])


def _known_mistake(
    inputs: Inputs, sandbox: Student, ask: Callable[[Question], float]
) -> str | None:
    """Return the only known mistake that gives the accuracies of three questions, or of more."""
    names: set[str] | None = None
    for count, purpose in enumerate(PURPOSES, 1):
        question = _question(inputs, sandbox, purpose)
        actual = ask(question)
        fitting = {
            says
            for says, accuracy in question.mistakes.items()
            if is_close(actual, accuracy, "share")
        }
        names = fitting if names is None else names & fitting
        if not names or (count > 2 and len(names) < 2):
            break
    return names.pop() if names and len(names) == 1 else None


def _evaluations(
    student: Student, question: Question, sizes: list[int], file: str, *, dropout: float = 0.0
) -> Sequence[tuple[Any, Seen]]:
    """Return the result for each batch size, and the observations meanwhile."""
    return student.call(
        "evaluations",
        weights=dict(question.weights),
        batch=dict(question.batch),
        sizes=list(sizes),
        file=file,
        dropout=dropout,
        read=partial(_seen, len(sizes)),
    )


def _seen(count: int, reply: Any) -> Sequence[tuple[Any, Seen]]:
    if len(sequence(reply, dict)) != count:
        raise BadReply
    return [
        (
            entry["value"],
            Seen(
                [
                    (training is not False, graded is not False)
                    for training, graded in entry["modes"]
                ],
                sequence(entry["masked"], bool),
                sequence(entry["changed"], str),
                sequence(entry["graded"], str),
                entry["again"],
                entry["dropout"] is not False,
                entry["held_back"] is True,
            ),
        )
        for entry in reply
    ]


def _accuracy(value: Any, score: Score | None = None) -> float:
    """Return the number in a reply, which may be given without its dict."""
    returned = value.get("accuracy") if isinstance(value, dict) else value
    accuracy = number(returned)
    if accuracy is None:
        fail(
            "evaluate_model does not return an accuracy.",
            hint="Return what evaluate.load('accuracy') computes: {'accuracy': a number}.",
            expected="{'accuracy': a number between 0 and 1}",
            actual=f"{describe(value)}: {str(value)[:120]}",
        )
    if score is not None and not isinstance(value, dict):
        score.note("Accepted: evaluate_model returns the number itself, not {'accuracy': …}.")
    return accuracy


def _require_accuracy(
    question: Question, accuracy: float, known_mistake: Callable[[], str | None]
) -> None:
    if is_close(accuracy, question.accuracy, "share"):
        return
    fail(
        "evaluate_model does not return the accuracy.",
        hint=known_mistake()
        or "Count the rows whose argmax over the two logits is the label; divide by all rows.",
        expected=f"{question.accuracy:.4f} ({sum(question.right)} of {ITEMS})",
        actual=f"{accuracy:.4f}",
        counterexample={"batches": "sizes 4, 4 and 3"},
    )
