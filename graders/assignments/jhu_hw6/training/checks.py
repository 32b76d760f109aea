"""train: each batch makes one step, with the gradient of its own loss."""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NoReturn

import numpy as np
import pytest

from graders.boundary.student import Student
from graders.checks.compare import CheckFailed, fail
from graders.checks.inputs import Inputs
from graders.checks.score import Score
from graders.errors import StudentFault, Unavailable

from ..batches import LONG, STOPPED, Task, draw_task, predicted
from ..files import in_each_file
from .expected import (
    LOSS,
    STEP,
    Step,
    are_right,
    batch_of,
    batches_of,
    is_accumulated,
    mistake_of,
    steps_of,
)
from .runs import NAME, Plan, Run, Update, require_device, training_run

PLAN = Plan()
ALONE = Plan(own=False)
BETTER = Plan(own=False, trend=1)  # so a loop that restores the best weights keeps the last ones
RISING, FALLING = (Plan(own=False, brief=True, trend=trend) for trend in (1, -1))
SINGLE = replace(PLAN, batch_size=1)
ITEMS = 11  # in batches of 4, 4 and 3
MANY = 41  # in batches of 1: prime, and more than 32, which loops accumulate at most
SMALL = 10
LONG_EPOCH = Plan(epochs=1, batch_size=2, brief=True)
OVERFIT = Plan(epochs=20, batch_size=2, lr=0.1, brief=True)
IMPROVING = replace(OVERFIT, own=False, trend=1, alike=True)
ALL_PARAMETERS = "Pass all parameters of the model to the optimizer: mymodel.parameters()"
UNCHANGED = "Training doesn't change any weight of the model."
ENDED = "Everything before this error in train counts"
MISFIT = (
    "Call evaluate_model with the arguments of its definition, in that order, and use only names "
    "that exist."
)
LEARNED = 0.9
SGD_FACTOR = 10.0  # the usual rate of SGD, compared with Adam's
FULL_RATE = 0.5  # of lr; some schedules never reach it
SAME_SHARE = 2.0  # a warm-up of fixed length reaches 17 times as much in the longer run
FASTER = 10.0  # the ratio of the second learning rate to the first
ADDED_UP = (
    "The loss includes the losses of earlier batches: call backward() on each batch's own loss"
)
CRASHES = {
    "'Tensor' object is not callable": "The name of the loss function is reused for its value",
    "not implemented for 'Long'": "Cross entropy takes the logits first: loss(logits, labels)",
    "element 0 of tensors does not require grad": "The loss has no gradient; is it detached? Or is "
    "the model called inside torch.no_grad()?",
    "Trying to backward through the graph a second time": ADDED_UP,
}
IN_PLACE = "modified by an inplace operation"
NEVER_STORED = ("state_dict", "NoneType")  # words of what load_state_dict(None) raises
WRITTEN = ("loop-computes-gradients",)


@pytest.mark.criterion("training", weight=0)
def test_loop_computes_gradients(student: Student, inputs: Inputs, score: Score) -> None:
    """Prerequisite: train calls the model, and backward() computes gradients for its weights."""

    def judge(run: Run) -> None:
        if run.ended is not None:
            few = not run.updates or len(run.graded) < run.plan.steps(run.task)
            if few and not run.elsewhere:
                _fail_after(run, run.ended)
            score.note(f"{ENDED}: {run.ended} {run.ended.where}".rstrip())
        _require_gradients(run)

    _in_each_run(student, inputs, score, judge)


def _require_gradients(run: Run) -> None:
    """Fail if no backward pass gives the model a gradient."""
    if run.graded:
        return
    run.refuse_unavailable()
    if not run.forwards:
        fail(
            "train does not call the model.",
            hint=f"Call it on every batch of train_dataloader ({STEP}).",
        )
    if not any(update.backwards for update in run.forwards):
        fail(
            "train never calls backward().",
            hint=f"Compute the gradients: call loss.backward() ({STEP}).",
        )
    fail(
        "backward() is called, but the model's weights get no gradient.",
        hint="Compute the loss directly from the logits: detach(), .data, .item() and "
        "torch.tensor(...) detach it from the model.",
    )


@pytest.mark.criterion("training", weight=2, depends_on=WRITTEN)
def test_every_epoch_sees_every_batch(
    student: Student, inputs: Inputs, sandbox: Student, score: Score
) -> None:
    """In every epoch, the optimizer takes one step for each training batch, and no others."""
    task = draw_task(inputs, "training", ITEMS)
    small = draw_task(inputs, "ten items", SMALL)

    def judge(file: str) -> None:
        run = _observed(student, inputs, "training", PLAN, file)
        if not run.updates:
            run.refuse_unavailable()
            fail("No optimizer step changes the model.", hint=_why_unchanged(run))
        _require_batches(run)
        if _resets(run) and _resets(_observed(student, inputs, "training", BETTER, file)):
            fail(
                "The model gets its initial weights again during training.",
                hint="Each epoch continues with the weights of the previous one: don't load the "
                "initial ones inside the loop over epochs.",
            )
        if len(run.updates) == len(run.graded):
            _require_long_epoch(student, inputs, file)
        _require_rates(run)
        with suppress(StudentFault, Unavailable):  # a warm-up may hide it in a short run
            longer = training_run(student, small, OVERFIT, file)
            _require_rates(longer)
            _require_end_of_warm_up(run, longer)
        if any(update.steps > 1 for update in run.updates):
            fail(
                "The optimizer takes more than one step for a batch.",
                hint=f"Call optimizer.step() once per batch ({STEP}).",
            )
        if run.renewed and len(run.updates) > PLAN.epochs:
            fail(
                "A new optimizer takes each step, so its averages of earlier gradients are lost.",
                hint="Create the optimizer once, before the loop.",
            )
        if len(run.updates) == len(run.graded):
            return
        many = draw_task(inputs, "accumulation", MANY)
        for plan, data in ((PLAN, task), (SINGLE, many)):  # several batches may always make a step
            batches = batches_of(data.train, plan.batch_size)
            steps = steps_of(sandbox, training_run(student, data, plan, file), batches)
            if is_accumulated(steps, len(batches)):
                score.note("Accepted: the optimizer takes one step for several batches.")
                return
        fail(
            "The optimizer does not take a step for every batch.",
            hint=f"Call optimizer.step() inside the loop over batches ({STEP}).",
            expected=f"{len(run.graded)} steps",
            actual=f"{len(run.updates)} steps",
        )

    in_each_file(student, score, NAME, judge)


def _require_batches(run: Run) -> None:
    """Fail unless exactly the batches of the training set are used for training."""
    batches = batches_of(run.task.train, run.plan.batch_size)
    seen = Counter(batch_of(update, batches) for update in run.graded)
    if None in seen:
        if _are_training_rows(
            run, [update for update in run.graded if batch_of(update, batches) is None]
        ):
            fail(
                "The model is trained on other batches than those of train_dataloader.",
                hint="Pass each batch of train_dataloader to the model as a whole.",
            )
        fail(
            "The model is trained on a batch that is not in the training set.",
            hint="Train only on train_dataloader; the other two are for evaluation.",
        )
    counts = [seen[number] for number in range(len(batches))]
    whole = all(count == PLAN.epochs for count in counts)
    if whole or (run.elsewhere and max(counts) - min(counts) <= 1):
        return
    run.refuse_unavailable()
    called = Counter(batch_of(update, batches) for update in run.forwards if update.training)
    if run.ended is None and all(called[number] == PLAN.epochs for number in range(len(batches))):
        fail(
            "backward() is not called for every batch.",
            hint=f"Call backward() and step() inside the loop over batches ({STEP}).",
            expected=f"{called.total()} times",
            actual=f"{sum(update.backwards for update in run.forwards)} times",
        )
    fail(
        "The model is not trained on every batch in every epoch"
        + (f": {run.ended}" if run.ended is not None else "."),
        hint=MISFIT
        if run.misfit
        else f"Loop over all of train_dataloader in every epoch ({STEP}).",
        expected=f"each of the {len(batches)} batches {PLAN.epochs} times",
        actual=f"{', '.join(map(str, counts))} times",
    )


def _require_long_epoch(student: Student, inputs: Inputs, file: str) -> None:
    """Fail if a loop that steps for each batch ends a long epoch early, without an exception."""
    task = draw_task(inputs, "long epoch", LONG * LONG_EPOCH.batch_size)
    try:
        run = training_run(student, task, LONG_EPOCH, file)
    except (StudentFault, Unavailable):
        return  # a run of another check reports it
    if run.ended is None and len(run.rates) < LONG:
        fail(
            "An epoch ends before the last batch.",
            hint=STOPPED,
            expected=f"{LONG} steps for {LONG} batches",
            actual=f"{len(run.rates)} steps",
        )


def _are_training_rows(run: Run, updates: Sequence[Update]) -> bool:
    """Return whether all texts of these forward passes are in the training set."""
    texts = batches_of(run.task.train, 1)
    return all(
        batch_of(replace(update, input_ids=row[None]), texts) is not None
        for update in updates
        for row in update.input_ids
    )


def _resets(run: Run) -> bool:
    """Return whether the model has its initial weights again after a step that changed them."""
    initial, moved = run.task.weights, False
    for update in run.updates:
        if moved and all((update.before[name] == value).all() for name, value in initial.items()):
            return True
        moved = moved or update.size > 0
    return False


def _require_rates(run: Run) -> None:
    """Fail if the learning rate is 0 in a whole epoch, although not in all."""
    plan, size = run.plan, run.plan.steps(run.task)
    epochs = [run.rates[at : at + size] for at in range(0, len(run.rates), size)]
    still = [number for number, epoch in enumerate(epochs, 1) if not any(epoch)]
    if len(run.rates) == size * plan.epochs and 0 < len(still) < len(epochs):
        fail(
            f"The learning rate is 0 in all of epoch {still[0]}, so nothing is learned in it.",
            hint="A linear schedule needs num_training_steps=num_epochs * len(train_dataloader), "
            "and one lr_scheduler.step() after each optimizer.step().",
            counterexample={"epochs": str(plan.epochs), "batches": str(size)},
        )


def _require_end_of_warm_up(*runs: Run) -> None:
    """Fail if the learning rate only rises and stays small, however long the training is.

    A warm-up of a fixed number of steps gets further in a longer run. So it is not punished.
    """
    if not all(run.is_warm_up for run in runs):
        return
    reached = [run.rates[-1] / run.plan.lr for run in runs]
    if max(reached) < FULL_RATE and max(reached) < SAME_SHARE * min(reached):
        fail(
            "The learning rate rises in all of the training, and never gets near lr.",
            hint="The warm-up is longer than the training: num_warmup_steps should be a small part "
            "of num_training_steps, which is num_epochs * len(train_dataloader).",
            expected="lr",
            actual=f"at most {max(reached):.0%} of lr",
        )


@pytest.mark.criterion("training", depends_on=WRITTEN)
def test_model_is_in_training_mode(student: Student, inputs: Inputs, score: Score) -> None:
    """The model is in training mode in every epoch, even after an evaluation."""

    def judge(run: Run) -> None:
        modes = [update.training for update in run.graded]
        if modes and all(modes):
            return
        later = any(modes[:1])
        fail(
            "The model is trained in evaluation mode"
            + (", after the first evaluation." if later else "."),
            hint="Call mymodel.train() in every epoch: evaluate_model sets evaluation mode.",
            actual="training mode in steps "
            + (", ".join(str(i + 1) for i, mode in enumerate(modes) if mode) or "none"),
        )

    _in_each_run(student, inputs, score, judge)


@pytest.mark.criterion("training", weight=2, depends_on=WRITTEN)
def test_gradients_are_those_of_the_batch(
    student: Student, inputs: Inputs, sandbox: Student, score: Score
) -> None:
    """Each step uses only the gradient of its own batch's cross entropy."""

    def steps_in(run: Run) -> list[Step]:
        parts = (run.task.train, run.task.held_out)  # another check reports the wrong loader
        batches = [batch for part in parts for batch in batches_of(part, run.plan.batch_size)]
        return steps_of(sandbox, run, batches)

    def judge(file: str) -> None:
        run = _observed(student, inputs, "training", PLAN, file)
        steps = steps_in(run)
        if are_right(steps):
            require_device(student, run.task, NAME, file)
            return
        if are_right(steps_in(_observed(student, inputs, "training", ALONE, file))):
            return  # evaluate_model leaves gradients behind, and loses its own points
        mistake = mistake_of(steps) if steps else None
        fail(
            "A step does not use the gradient of its own batch's loss.",
            hint=mistake.hint if mistake else f"{LOSS[0].upper()}{LOSS[1:]} ({STEP}).",
            counterexample=_first_wrong(steps),
        )

    in_each_file(student, score, NAME, judge)


def _first_wrong(steps: Sequence[Step]) -> dict[str, str]:
    wrong = (i for i, step in enumerate(steps, 1) if not step.follows(step.required["right"]))
    return {"step": str(next(wrong, 1)), "epochs": str(PLAN.epochs)}


@pytest.mark.criterion("training", depends_on=WRITTEN)
def test_every_parameter_is_trained(student: Student, inputs: Inputs, score: Score) -> None:
    """In full fine-tuning, training changes every parameter of the model."""

    def judge(run: Run) -> None:
        # steps of one size, such as a sign's, may lead back to where a parameter started
        states = [run.final, *(update.before for update in run.updates)]
        still = [
            name
            for name, weight in run.task.weights.items()
            if all((state[name] == weight).all() for state in states)
        ]
        if still:
            none = len(still) == len(run.task.weights)
            fail(
                UNCHANGED if none else "Training leaves some parameters unchanged.",
                hint=_why_unchanged(run) if none else f"{ALL_PARAMETERS}, and don't freeze any.",
                actual=f"unchanged: {', '.join(still)}",
            )

    _in_each_run(student, inputs, score, judge)


@pytest.mark.criterion("training", depends_on=WRITTEN)
def test_learning_rate_is_used(student: Student, inputs: Inputs, score: Score) -> None:
    """A larger learning rate leads to larger steps."""

    def judge(file: str) -> None:
        rates = (PLAN.lr / FASTER, PLAN.lr)
        runs = [_observed(student, inputs, "learning rates", Plan(lr=lr), file) for lr in rates]
        sizes = [_first_move(run) for run in runs]
        if not any(sizes):
            fail(UNCHANGED, hint=_why_unchanged(runs[1]))
        if sizes[1] <= sizes[0] * np.sqrt(FASTER):
            fail(
                "The lr argument of train does not affect the step size.",
                hint="Pass lr=lr to the optimizer.",
                counterexample={
                    f"lr {lr}": f"size of the first step: {size:.3g}"
                    for lr, size in zip(rates, sizes, strict=True)
                },
            )

    in_each_file(student, score, NAME, judge)


@pytest.mark.criterion("training", weight=0.5, depends_on=WRITTEN)
def test_evaluates_on_validation(student: Student, inputs: Inputs, score: Score) -> None:
    """If train evaluates during training, it uses the validation set, and may keep the best."""
    task = draw_task(inputs, "training", ITEMS)

    def judge(file: str) -> None:
        run = training_run(student, task, PLAN, file)
        if run.misfit and run.ended is not None:
            fail(
                f"train ends with an error of its own: {run.ended}",
                hint=MISFIT,
                actual=run.ended.where,
            )
        last = len(run.updates)  # accumulated gradients take fewer steps than there are batches
        early = {name for name, when in run.read.items() if any(0 < at < last for at in when)}
        if "validation" in run.read:
            _require_best(student, task, file)
            if "test" in early:
                score.note("train evaluates on test during training; choose only by validation.")
            return
        if not early:
            score.note("train does not evaluate on validation; the homework plots that accuracy.")
            return
        fail(
            f"train never evaluates on validation, but on {' and '.join(sorted(early))}.",
            hint="Call evaluate_model(mymodel, validation_dataloader, device) after each epoch.",
            expected="validation",
            actual=", ".join(sorted(early)),
        )

    in_each_file(student, score, NAME, judge)


def _require_best(student: Student, task: Task, file: str) -> None:
    """Fail if the weights of an epoch with a low accuracy replace those of a better one."""
    try:
        rising, falling = (training_run(student, task, plan, file) for plan in (RISING, FALLING))
    except (StudentFault, Unavailable):
        return  # a run of another check reports it
    hint = "Store the weights whenever the validation accuracy is higher than the best so far."
    if rising.ended is not None and all(word in str(rising.ended) for word in NEVER_STORED):
        fail(f"train never stored the weights that it loads at the end: {rising.ended}", hint=hint)
    if falling.reloaded and rising.reloaded:
        fail(
            "train loads the weights that the model already has.",
            hint="A state_dict is not a copy: it changes with the model. Store "
            "copy.deepcopy(mymodel.state_dict()).",
        )
    worse = rising.restored and not rising.looked  # it may choose by a loss of its own
    if worse or 0 <= rising.final_after < falling.final_after:
        fail(
            "train keeps the weights of a worse epoch.",
            hint=hint,
            counterexample={
                "accuracy rises in every epoch": f"weights after step {rising.final_after}",
                "accuracy falls in every epoch": f"weights after step {falling.final_after}",
            },
        )


@pytest.mark.criterion("training", weight=0.5, depends_on=WRITTEN)
def test_ten_items_are_learned(
    student: Student, inputs: Inputs, sandbox: Student, score: Score
) -> None:
    """After 20 epochs on ten items, at least nine are classified correctly."""
    task = draw_task(inputs, "ten items", SMALL)

    def learned(run: Run) -> float:
        logits = predicted(sandbox, run.final, task.train)
        return float(np.mean(logits.argmax(-1) == task.train["labels"]))

    def judge(file: str) -> None:
        run = training_run(student, task, OVERFIT, file)
        right = learned(run)
        if right < LEARNED and (run.is_warm_up or _takes_short_steps(run)):
            # Such as the default of CyclicLR, 2,000 steps of warm-up, or SGD.
            factor = OVERFIT.lr / run.rates[-1] if run.is_warm_up else SGD_FACTOR
            faster = replace(OVERFIT, lr=OVERFIT.lr * factor)
            right = max(right, learned(training_run(student, task, faster, file)))
        early = _why_early(run, OVERFIT)  # training for only one epoch may be lucky
        if right < LEARNED and not early:  # a low accuracy may stop the loop or lower its rate
            right = max(right, learned(training_run(student, task, IMPROVING, file)))
        if right < LEARNED or early:
            fail(
                "The training loop does not overfit ten items.",
                hint="A working loop overfits a small set. Try it with --small_subset.",
                expected="9 or 10 of 10 correct after 20 epochs",
                actual=early or f"{round(right * SMALL)} of {SMALL} correct",
            )

    in_each_file(student, score, NAME, judge)


def _takes_short_steps(run: Run) -> bool:
    """Return whether each step moves the weights less than Adam's, whose size is the rate."""
    return all(update.rms < OVERFIT.lr / 4 for update in run.updates)


def _why_early(run: Run, plan: Plan) -> str:
    """Return why a run trains for only one of many epochs, or "" if it trains for longer."""
    if run.ended is not None and not run.elsewhere and len(run.rates) <= plan.steps(run.task):
        return "training ends with an error in the first epoch"
    still = sum(rate == 0 for rate in run.rates)
    return "the learning rate is 0 in most steps" if still > len(run.rates) / 2 else ""


def _in_each_run(
    student: Student, inputs: Inputs, score: Score, judge: Callable[[Run], None]
) -> None:
    """Grade a run of each file's train()."""
    in_each_file(
        student,
        score,
        NAME,
        lambda file: judge(_observed(student, inputs, "training", PLAN, file)),
    )


def _observed(student: Student, inputs: Inputs, purpose: str, plan: Plan, file: str) -> Run:
    """Return a run of a file's train() that computes gradients or ends with an exception.

    If it accumulates the gradients of more batches than a short run has, it is a longer one.
    """
    try:
        run = training_run(student, draw_task(inputs, purpose, ITEMS), plan, file)
    except StudentFault as fault:  # before the first batch
        if any(words in str(fault) for words in CRASHES):
            _fail_with(fault)
        raise
    if run.graded and not run.updates and run.ended is None:
        many, single = draw_task(inputs, "accumulation", MANY), replace(plan, batch_size=1)
        with suppress(StudentFault, Unavailable):
            longer = training_run(student, many, single, file)
            return longer if longer.updates else run
    if run.ended is None:
        _require_gradients(run)  # the prerequisite fails only if no file's train() computes any
    return run


def _fail_after(run: Run, fault: StudentFault | Unavailable) -> NoReturn:
    """Fail with the exception in the loop's first epoch, and the mistake that causes it."""
    if IN_PLACE in str(fault):
        late = run.forwards[-1].steps > 0
        _fail_with(fault, "optimizer.step() is called before backward()" if late else ADDED_UP)
    _fail_with(fault)


def _fail_with(fault: StudentFault | Unavailable, hint: str = "") -> NoReturn:
    """Fail with an exception, and the mistake that causes it."""
    hint = hint or next((says for words, says in CRASHES.items() if words in str(fault)), "")
    hint = f"{hint} ({STEP})." if hint else ""
    raise CheckFailed(str(fault), hint=hint, actual=fault.where) from fault


def _why_unchanged(run: Run) -> str:
    """Return why no weight changes."""
    if not run.updates:
        if any(update.foreign for update in run.forwards):
            return f"The optimizer has none of the model's parameters. {ALL_PARAMETERS}."
        return f"optimizer.step() was not called in {PLAN.epochs} epochs ({STEP})."
    if not any(run.rates):
        return (
            "The learning rate is 0 in every step. A schedule with warm-up starts at 0 and rises "
            "with every lr_scheduler.step(): call it after each optimizer.step()."
        )
    if all(update.cleared for update in run.updates):
        return (
            "The gradients are zero in every step because zero_grad is called between backward "
            f"and step ({STEP})."
        )
    return f"{ALL_PARAMETERS}."


def _first_move(run: Run) -> float:
    """Return the size of the first step that changed anything: schedules may begin at zero."""
    return next((update.size for update in run.updates if update.size > 0), 0.0)
