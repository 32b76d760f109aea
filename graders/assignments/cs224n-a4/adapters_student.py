"""Finds the student's modules, however their files import each other; runs beside that code."""

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

PACKAGES = ("src", "submission")  # names under which editions import their own files


def student_module(name: str) -> ModuleType:
    """The student's module of this name, or the stand-in for a file that the starter gives."""
    _know_packages()
    try:
        return importlib.import_module(name)
    except ImportError as error:
        if "relative import" not in str(error):
            raise
    return importlib.import_module(f"{PACKAGES[0]}.{name}")


def _know_packages() -> None:
    """Let `from .attention import …` and `from src.attention import …` find the same folder."""
    spec = importlib.util.find_spec("attention") or importlib.util.find_spec("dataset")
    if spec is None or spec.origin is None:
        return
    for name in PACKAGES:
        if name not in sys.modules:
            package = ModuleType(name)
            package.__path__ = [str(Path(spec.origin).parent)]
            sys.modules[name] = package


class SummaryWriter:
    """TensorBoard's writer with nothing behind it: importing the real one takes a second."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.log_dir = ""

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **kwargs: None


def _stand_in_for_tensorboard() -> None:
    module = ModuleType("torch.utils.tensorboard")
    module.SummaryWriter = SummaryWriter  # type: ignore[attr-defined]
    sys.modules["torch.utils.tensorboard"] = module


_stand_in_for_tensorboard()
