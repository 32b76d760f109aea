"""train: each batch makes one step, with the gradient of its own loss."""

from collections import Counter
from collections.abc import Callable
from typing import NoReturn

import numpy as np
import pytest
from hw6_batches import Task, draw_task, predicted
from hw6_files import in_each_file
from hw6_losses import LOSS, STEP, batch_of, batches_of, judged, mistake_of
from hw6_runs import NAME, Plan, Run, changes_weights, training_run

from graders.boundary.student import Student
from graders.checks.compare import CheckFailed, fail
from graders.checks.inputs import Inputs
from graders.errors import StudentRaised

PLAN = Plan()
ALONE = Plan(own=False)
ITEMS = 11  # in batches of 4, 4 and 3
SMALL = 10
OVERFIT = Plan(epochs=20, batch_size=2, lr=0.1, brief=True)
LEARNED = 0.9
FASTER = 10.0  # how much larger the second learning rate is
CRASHES = {
    "'Tensor' object is not callable": "The name of the loss function is given to its value",
    "not implemented for 'Long'": "Cross entropy is given the labels first: loss(logits, labels)",
    "modified by an inplace operation": "optimizer.step() comes before backward()",
    "element 0 of tensors does not require grad": "No gradient reaches the loss: is it detached?",
}
WRITTEN = ("weights-are-trained",)


@pytest.mark.criterion("training", weight=0)
def test_weights_are_trained(student, inputs):
    """train changes the weights of the model."""

    def judge(run: Run) -> None:
        if changes_weights(run):
            return
        hint = "Is optimizer.step() called for every batch?"
        if run.updates:
            hint = "Steps are made, but without gradients: is zero_grad between backward and step?"
        if not run.forwards:
            hint = "The model is not called on the batches of the training loader."
        fail("After training every weight is what it was before.", hint=f"{hint} ({STEP}).")

    _in_each_run(student, inputs, judge)


@pytest.mark.criterion("training", depends_on=WRITTEN)
def test_every_epoch_sees_every_batch(student, inputs):
    """Every batch of the training set, and no other, makes one step in every epoch."""

    def judge(run: Run) -> None:
        batches = batches_of(run.task.train, PLAN.batch_size)
        seen = Counter(batch_of(each, batches) for each in run.updates)
        if None in seen:
            fail(
                "A step is made on what is no batch of the training set.",
                hint="Train on train_dataloader alone; the other two are for evaluating.",
            )
        if seen != Counter(dict.fromkeys(range(len(batches)), PLAN.epochs)):
            fail(
                "Not every batch makes one step in every epoch.",
                hint=f"The step stands inside the loop over batches: {STEP}.",
                expected=f"{PLAN.epochs} steps for each of {len(batches)} batches",
                actual=", ".join(f"{seen[number]}" for number in range(len(batches))) + " steps",
            )
        if any(each.steps > 1 for each in run.updates):
            fail("The optimizer makes more than one step for a batch.", hint=f"{STEP}.")

    _in_each_run(student, inputs, judge)


@pytest.mark.criterion("training", depends_on=WRITTEN)
def test_model_is_in_training_mode(student, inputs):
    """The model is in training mode in every epoch, also after it was evaluated."""

    def judge(run: Run) -> None:
        modes = [each.training for each in run.updates]
        if modes and all(modes):
            return
        later = any(modes[:1])
        fail(
            "The model is in evaluation mode while it is trained"
            + (", after the first evaluation." if later else "."),
            hint="mymodel.train() at the start of every epoch: evaluate_model switches it off.",
            actual="training mode in steps "
            + (", ".join(str(i + 1) for i, each in enumerate(modes) if each) or "none"),
        )

    _in_each_run(student, inputs, judge)


@pytest.mark.criterion("training", weight=3, depends_on=WRITTEN)
def test_gradients_are_those_of_the_batch(student, inputs, sandbox):
    """Every step uses the gradient of the cross entropy of its own batch, and nothing else."""
    task = draw_task(inputs, "training", ITEMS)
    batches = batches_of(task.train, PLAN.batch_size)

    def judge(file: str) -> None:
        run = training_run(student, task, PLAN, file)
        updates = judged(sandbox, run, batches)
        wrong = next((i for i, each in enumerate(updates) if not each.is_right), None)
        if updates and wrong is None:
            return
        alone = judged(sandbox, training_run(student, task, ALONE, file), batches)
        if alone and all(each.is_right for each in alone):
            return  # evaluate_model leaves the gradients behind, and loses its own points
        mistake = mistake_of(updates) if updates else None
        fail(
            "A step uses another gradient than that of its batch's loss.",
            hint=mistake.hint if mistake else f"{LOSS[0].upper()}{LOSS[1:]}; {STEP}.",
            counterexample={"step": str((wrong or 0) + 1), "epochs": str(PLAN.epochs)},
        )

    in_each_file(student, NAME, judge)


@pytest.mark.criterion("training", depends_on=WRITTEN)
def test_every_parameter_is_trained(student, inputs):
    """Training changes every parameter of a model that is to be trained as a whole."""

    def judge(run: Run) -> None:
        still = [name for name, each in run.task.weights.items() if (run.final[name] == each).all()]
        if still:
            fail(
                "Training leaves some of the parameters as they were.",
                hint="The optimizer is given all parameters of the model: mymodel.parameters().",
                actual=f"unchanged: {', '.join(still)}",
            )

    _in_each_run(student, inputs, judge)


@pytest.mark.criterion("training", depends_on=WRITTEN)
def test_learning_rate_is_used(student, inputs):
    """A larger learning rate makes larger steps."""
    task = draw_task(inputs, "learning rates", ITEMS)

    def judge(file: str) -> None:
        rates = (PLAN.lr / FASTER, PLAN.lr)
        sizes = [_first_move(training_run(student, task, Plan(lr=lr), file)) for lr in rates]
        if sizes[1] <= sizes[0] * np.sqrt(FASTER):
            fail(
                "The learning rate that train is given does not change how far it steps.",
                hint="Give the optimizer lr=lr.",
                counterexample={
                    f"lr {lr}": f"first change of the weights {size:.3g}"
                    for lr, size in zip(rates, sizes, strict=True)
                },
            )

    in_each_file(student, NAME, judge)


@pytest.mark.criterion("training", depends_on=WRITTEN)
def test_ten_items_are_learned(student, inputs, sandbox):
    """Twenty epochs on ten items end with nine or more of them right."""
    task = draw_task(inputs, "ten items", SMALL)

    def judge(file: str) -> None:
        run = training_run(student, task, OVERFIT, file)
        logits = predicted(sandbox, run.final, task.train)
        right = float(np.mean(logits.argmax(-1) == task.train["labels"]))
        if right < LEARNED:
            fail(
                "The loop does not learn ten items by heart.",
                hint="A model that trains overfits a small set: this is what --small_subset shows.",
                expected="9 or 10 of 10 right after 20 epochs",
                actual=f"{round(right * SMALL)} of {SMALL}",
            )

    in_each_file(student, NAME, judge)


def _in_each_run(student: Student, inputs: Inputs, judge: Callable[[Run], None]) -> None:
    """Judge a run of each file's train()."""
    task: Task = draw_task(inputs, "training", ITEMS)
    in_each_file(student, NAME, lambda file: judge(_explained(student, task, file)))


def _explained(student: Student, task: Task, file: str) -> Run:
    """A run; where it raises what a known mistake makes it raise, the mistake is named."""
    try:
        return training_run(student, task, PLAN, file)
    except StudentRaised as problem:
        for words, hint in CRASHES.items():
            if words in str(problem):
                fail_after(problem, hint)
        raise


def fail_after(problem: StudentRaised, hint: str) -> NoReturn:
    """Fail with what the student's code raised, and a hint."""
    raise CheckFailed(str(problem), hint=f"{hint} ({STEP}).", actual=problem.where) from problem


def _first_move(run: Run) -> float:
    """How far the first step went that moved at all: a schedule may begin with none."""
    return next((each.size for each in run.updates if each.size > 0), 0.0)
