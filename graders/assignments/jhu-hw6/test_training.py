"""train: each batch makes one step, with the gradient of its own loss."""

from collections import Counter
from collections.abc import Callable
from typing import NoReturn

import numpy as np
import pytest
from hw6_batches import Task, draw_task, predicted
from hw6_files import in_each_file
from hw6_losses import LOSS, STEP, batch_of, batches_of, judged, mistake_of
from hw6_runs import NAME, Plan, Run, training_run

from graders.boundary.student import Student
from graders.checks.compare import CheckFailed, fail
from graders.checks.inputs import Inputs
from graders.errors import StudentFault

PLAN = Plan()
ALONE = Plan(own=False)
ITEMS = 11  # in batches of 4, 4 and 3
SMALL = 10
OVERFIT = Plan(epochs=20, batch_size=2, lr=0.1, brief=True)
ALL_PARAMETERS = "Give the optimizer all parameters of the model: mymodel.parameters()"
UNCHANGED = "Training changes no weight of the model."
ENDED = "The code of train then ends with an error; what it did before counts"
LEARNED = 0.9
FASTER = 10.0  # how much larger the second learning rate is
ADDED_UP = (
    "The loss of earlier batches is part of this one: call backward() on each batch's own loss"
)
CRASHES = {
    "'Tensor' object is not callable": "The name of the loss function is given to its value",
    "not implemented for 'Long'": "Cross entropy is given the labels first: loss(logits, labels)",
    "element 0 of tensors does not require grad": "No gradient reaches the loss: is it detached?",
    "Trying to backward through the graph a second time": ADDED_UP,
}
IN_PLACE = "modified by an inplace operation"
WRITTEN = ("loop-computes-gradients",)


@pytest.mark.criterion("training", weight=0)
def test_loop_computes_gradients(student, inputs, score):
    """train calls the model on batches, and backward() gives its weights gradients."""

    def judge(run: Run) -> None:
        if run.ended is not None:
            if len(run.updates) < PLAN.steps(run.task):
                _fail_after(run, run.ended)
            score.note(f"{ENDED}: {run.ended} {run.ended.where}".rstrip())
        if run.graded or any(not each.cleared for each in run.updates):
            return
        if not run.forwards:
            fail(
                "train does not call the model.",
                hint=f"Call it on every batch of train_dataloader ({STEP}).",
            )
        if not any(each.backwards for each in run.forwards):
            fail("train never calls backward().", hint=f"Compute the gradients: {STEP}.")
        fail(
            "backward() is called, but gives the model's weights no gradient.",
            hint="The loss must be made of the logits themselves: detach(), .data, .item() and "
            "torch.tensor(...) cut it off from the model.",
        )

    _in_each_run(student, inputs, judge)


@pytest.mark.criterion("training", depends_on=WRITTEN)
def test_every_epoch_sees_every_batch(student, inputs):
    """Every batch of the training set, and no other, makes one step in every epoch."""

    def judge(run: Run) -> None:
        batches = batches_of(run.task.train, PLAN.batch_size)
        seen = Counter(batch_of(each, batches) for each in run.updates)
        if not seen:
            fail("No step changes the model.", hint=_why_unchanged(run))
        if None in seen:
            fail(
                "A step is made on a batch that is not in the training set.",
                hint="Train on train_dataloader alone; the other two are for evaluating.",
            )
        counts = [seen[number] for number in range(len(batches))]
        epochs = PLAN.epochs if run.ended is None else max(counts)
        whole = all(each == epochs for each in counts)
        if not whole and (run.ended is None or min(counts) < epochs - 1):
            fail(
                "Not every batch makes one step in every epoch.",
                hint=f"The step stands inside the loop over batches: {STEP}.",
                expected=f"{epochs} steps for each of {len(batches)} batches",
                actual=", ".join(map(str, counts)) + " steps",
            )
        if any(each.steps > 1 for each in run.updates):
            fail("The optimizer makes more than one step for a batch.", hint=f"{STEP}.")

    _in_each_run(student, inputs, judge)


@pytest.mark.criterion("training", depends_on=WRITTEN)
def test_model_is_in_training_mode(student, inputs):
    """The model is in training mode in every epoch, also after it was evaluated."""

    def judge(run: Run) -> None:
        modes = [each.training for each in run.updates or run.graded]
        if modes and all(modes):
            return
        later = any(modes[:1])
        fail(
            "The model is in evaluation mode while it is trained"
            + (", after the first evaluation." if later else "."),
            hint="Call mymodel.train() in every epoch: evaluate_model switches it off.",
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
            "A step uses a gradient that is not the one of its batch's loss.",
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
            none = len(still) == len(run.task.weights)
            fail(
                UNCHANGED if none else "Training leaves some of the parameters as they were.",
                hint=_why_unchanged(run) if none else f"{ALL_PARAMETERS}.",
                actual=f"unchanged: {', '.join(still)}",
            )

    _in_each_run(student, inputs, judge)


@pytest.mark.criterion("training", depends_on=WRITTEN)
def test_learning_rate_is_used(student, inputs):
    """A larger learning rate makes larger steps."""
    task = draw_task(inputs, "learning rates", ITEMS)

    def judge(file: str) -> None:
        rates = (PLAN.lr / FASTER, PLAN.lr)
        runs = [training_run(student, task, Plan(lr=lr), file) for lr in rates]
        sizes = [_first_move(run) for run in runs]
        if not any(sizes):
            fail(UNCHANGED, hint=_why_unchanged(runs[1]))
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
                hint="A model that trains overfits a small set, as --small_subset shows.",
                expected="9 or 10 of 10 right after 20 epochs",
                actual=f"{round(right * SMALL)} of {SMALL}",
            )

    in_each_file(student, NAME, judge)


def _in_each_run(student: Student, inputs: Inputs, judge: Callable[[Run], None]) -> None:
    """Judge a run of each file's train()."""
    task: Task = draw_task(inputs, "training", ITEMS)
    in_each_file(student, NAME, lambda file: judge(training_run(student, task, PLAN, file)))


def _fail_after(run: Run, fault: StudentFault) -> NoReturn:
    """Fail with what the loop raised in its first epoch, and the mistake that makes it raise it."""
    hint = next((says for words, says in CRASHES.items() if words in str(fault)), "")
    if IN_PLACE in str(fault):
        late = run.forwards[-1].steps > 0
        hint = "optimizer.step() comes before backward()" if late else ADDED_UP
    hint = f"{hint} ({STEP})." if hint else ""
    raise CheckFailed(str(fault), hint=hint, actual=fault.where) from fault


def _why_unchanged(run: Run) -> str:
    """Say why no weight changes."""
    if not run.updates:
        if any(each.foreign for each in run.forwards):
            return f"The optimizer that steps holds no parameter of the model. {ALL_PARAMETERS}."
        return f"optimizer.step() is never called ({STEP})."
    if all(each.rate == 0 for each in run.updates):
        return (
            "The learning rate is 0 in every step. A schedule with warm-up starts at 0 and rises "
            "with every lr_scheduler.step(): call it after each optimizer.step()."
        )
    if all(each.cleared for each in run.updates):
        return (
            "The gradients are zero in every step: zero_grad stands between backward and step "
            f"({STEP})."
        )
    return f"{ALL_PARAMETERS}."


def _first_move(run: Run) -> float:
    """Return how far the first step went that moved at all: a schedule may begin with none."""
    return next((each.size for each in run.updates if each.size > 0), 0.0)
