"""What the checks of the training loop ask of train(); runs beside the student's code."""

import inspect
from typing import Any

from adapters_files import by_position, code_of, globals_of, offline, settings
from adapters_log import Log
from adapters_spy import CPU, Classifier, items, state
from torch import nn
from torch.utils.data import DataLoader

NAME = "train"
EVALUATE = "evaluate_model"
CLASS = "CustomModelforSequenceClassification"


def training_log(
    weights: dict[str, Any], batches: dict[str, Any], plan: dict[str, Any], file: str
) -> dict[str, Any]:
    """The updates of one run; `batches` holds what is trained on and what is evaluated on.

    The plan is {epochs, batch_size, lr, brief, own}: with `brief` only the weights at the end are
    told, without `own` the student's evaluate_model is left out.
    """
    with offline():
        log = _watched(weights, batches, plan, file)
    updates = [each.plain() for each in log.updates] if not plan["brief"] else []
    return {"updates": updates, "final": _trained(log)}


def _trained(log: Log) -> dict[str, Any]:
    """The weights after the last step: behind it a loop may take the best ones back."""
    return next((each.after for each in reversed(log.updates) if each.steps), state(log.model))


def _watched(
    weights: dict[str, Any], batches: dict[str, Any], plan: dict[str, Any], file: str
) -> Log:
    """The log of the first way to run the loop that does not raise.

    Neither an evaluate_model that raises nor a method of the student's own model class that the
    loop calls is the loop's fault. Where every way raises, what the first raised is.
    """
    problems: list[Exception] = []
    for own in (True, False) if plan["own"] else (False,):
        for made in (Classifier, _with_methods(file)):
            log = Log(made(weights))
            try:
                with log.watching():
                    run(log.model, batches, plan, file=file, own=own)
            except Exception as problem:  # noqa: BLE001  the first is raised below
                problems.append(problem)
            else:
                return log
    raise problems[0]


def _with_methods(file: str) -> type[Classifier]:
    """The classifier with the methods of the student's model class, where there is one."""
    try:
        theirs = code_of(CLASS, file=file)[CLASS]
        mixed: type[Classifier] = type(Classifier.__name__, (Classifier, theirs), {})
    except Exception:  # noqa: BLE001  then the classifier alone has to do
        return Classifier
    return mixed


def run(
    model: nn.Module, batches: dict[str, Any], plan: dict[str, Any], *, file: str, own: bool
) -> None:
    """Call the student's train() as its script does; `own` is whether with its evaluate_model."""
    train = code_of(NAME, file=file)[NAME]
    sets = [DataLoader(items(batches[name]), plan["batch_size"]) for name in ("train", "held_out")]
    order = [model, plan["epochs"], sets[0], sets[1], sets[1], CPU, plan["lr"]]
    if list(inspect.signature(train).parameters)[4:5] == ["device"]:
        del order[4]  # the test set is left to the script
    names = globals_of(train)
    names["args"] = settings(type=getattr(model, "type", "full"))
    kept = {EVALUATE: names[EVALUATE]} if EVALUATE in names else {}
    if not own:
        names[EVALUATE] = _evaluate
    try:
        by_position(train, order, type=getattr(model, "type", "full"))
    finally:
        names.update(kept)


def _evaluate(model: nn.Module, *_: Any, **__: Any) -> dict[str, float]:
    """The model in evaluation mode, and a number: what any evaluation leaves behind."""
    model.eval()
    return {"accuracy": 0.5}
