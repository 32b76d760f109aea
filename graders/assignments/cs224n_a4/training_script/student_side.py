"""STUDENT side: run the student's run.py on a tiny corpus, without the actual training.

    argv -> run.py -> Trainer(...).train()   its settings and weights are noted, every weight is
                                             moved by SHIFT instead of being trained; then train()
                                             itself runs without batches, if it saves anything
                   -> the file of parameters is read back

Nothing is graded here.
"""

import contextlib
import importlib.util
import runpy
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import CodeType
from typing import Any
from unittest import mock

import torch
from torch import nn
from torch.utils.data import DataLoader

from graders.adapting.devices import on_cpu
from graders.adapting.gathered import code_folder
from graders.adapting.raised import described

from ..student_side import modules, student_module

SHIFT = 0.5  # larger than any initial weight, so that "trained" weights can be recognized
SETTINGS = (
    "max_epochs", "batch_size", "learning_rate", "lr_decay", "warmup_tokens", "final_tokens",
    "num_workers",
)  # fmt: skip


class _OwnLoop(Exception):
    """Raised if a script has its own loop over batches."""


@on_cpu()
def training_runs(files: dict[str, str], cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Run run.py for each case {arguments, reads, writes}, one after another.

    The file that a case reads contains the weights of the earlier case that wrote it, whatever that
    case itself wrote. Returns an empty list if there is no run.py.
    """
    run = script()
    if run is None:
        return []
    trained: dict[str, dict[str, torch.Tensor]] = {}
    with tempfile.TemporaryDirectory(dir=".") as folder, contextlib.chdir(folder):
        for name, text in files.items():
            Path(name).write_text(text, encoding="utf-8")
        return [_run(run, case, trained) for case in cases]


def script() -> str | None:
    """Return the path of the student's run.py, if there is one."""
    modules()
    spec = importlib.util.find_spec("run")
    return None if spec is None else spec.origin


def _run(run: str, case: dict[str, Any], trained: dict[str, Any]) -> dict[str, Any]:
    """Run the script once; return what its trainer and its file show."""
    trainings: list[dict[str, Any]] = []
    written = Path(case["writes"])
    if case["reads"] in trained:
        torch.save(trained[case["reads"]], case["reads"])
    with _intercepted(trainings, trained, case["writes"]):
        raised, own_loop = _execute(run, case["arguments"])
    kind, state = saved_state(written)
    written.unlink(missing_ok=True)  # a run must not reuse the file of an earlier one
    return {
        "raised": raised,
        "own_loop": own_loop,
        "trainings": trainings,
        "file": {"kind": kind, "fingerprint": _fingerprint(state)},
    }


def _execute(run: str, arguments: list[str]) -> tuple[dict[str, Any] | None, bool]:
    """Return what the script raised, and whether it has its own loop."""
    argv = sys.argv[:]
    sys.argv[:] = ["src/run.py", *arguments]
    try:
        runpy.run_path(run, run_name="__main__")
    except _OwnLoop:
        return None, True
    except SystemExit as error:
        return (described(error, code_folder()) if error.code else None), False
    except Exception as error:  # noqa: BLE001  shown to the student
        return described(error, code_folder()), False
    finally:
        sys.argv[:] = argv
    return None, False


@contextlib.contextmanager
def _intercepted(
    trainings: list[dict[str, Any]], trained: dict[str, Any], name: str
) -> Iterator[None]:
    """Record every call of Trainer.train in `trainings` and keep its weights as `name`."""

    def train(trainer: Any, *args: Any, **kwargs: Any) -> None:
        model = getattr(trainer.model, "module", trainer.model)
        before = _fingerprint(model.state_dict())
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.add_(SHIFT)
        trained[name] = {key: value.clone() for key, value in model.state_dict().items()}
        trainings.append(_training(trainer, model, before))
        if any("save" in word for word in _names(original.__code__)):
            trainings[-1]["saves"] = _without_batches(partial(original, trainer, *args, **kwargs))

    def iterate(loader: Any) -> None:
        raise _OwnLoop

    kind = student_module("trainer").Trainer
    original = kind.train
    with (
        mock.patch.object(kind, "train", train),
        mock.patch.object(DataLoader, "__iter__", iterate),
    ):
        yield


def _without_batches(train: Callable[[], Any]) -> str:
    """Run the student's train() without batches, so that it does everything but training.

    Returns `yes`, or `unseen` if it cannot run without batches.
    """
    save, saved = torch.save, set()

    def save_once(value: Any, file: Any, *args: Any, **kwargs: Any) -> None:
        if str(file) not in saved:  # the weights are the same in every epoch
            saved.add(str(file))
            save(value, file, *args, **kwargs)

    def no_batches(loader: Any) -> Iterator[Any]:
        return iter(())

    with (
        mock.patch.object(DataLoader, "__iter__", no_batches),
        mock.patch.object(torch, "save", save_once),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        try:
            train()
        except Exception:  # noqa: BLE001  such as a mean over no losses
            return "unseen"
    return "yes"


def _names(code: CodeType) -> set[str]:
    """Return the names that a function uses, including those in nested functions."""
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return {*code.co_names}.union(*map(_names, inner))


def _training(trainer: Any, model: nn.Module, before: dict[str, float]) -> dict[str, Any]:
    dataset: Any = getattr(trainer, "train_dataset", None)
    settings = {name: getattr(trainer.config, name, None) for name in SETTINGS}
    return {
        "settings": {
            name: value if isinstance(value, bool | int | float) else None
            for name, value in settings.items()
        },
        "dataset": type(dataset).__name__,
        "length": len(dataset) if hasattr(dataset, "__len__") else -1,
        "before": before,
        "after": _fingerprint(model.state_dict()),
        "shapes": {name: list(p.shape) for name, p in model.named_parameters() if p.requires_grad},
        "saves": "",
    }


def _fingerprint(state: Any) -> dict[str, float]:
    """Return one number per tensor that changes if its weights change."""
    return {
        str(name): float(value.double().mean())
        for name, value in state.items()
        if isinstance(value, torch.Tensor)
    }


def saved_state(path: Path) -> tuple[str, dict[str, torch.Tensor]]:
    """Return what kind of file of parameters this is, and its tensors if it is a state dict."""
    if not path.is_file():
        return "missing", {}
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except Exception:  # noqa: BLE001  a pickled model, or not a torch file
        return "not a state dict", {}
    if not isinstance(state, dict) or not all(isinstance(v, torch.Tensor) for v in state.values()):
        return "not a state dict", {}
    return "state dict", state
