"""Find the student's modules, however the files import each other; runs in the student's child."""

import importlib
import sys
from functools import cache
from types import ModuleType
from typing import Any

from graders.adapting.devices import on_cpu
from graders.adapting.gathered import code_folder
from graders.adapting.modules import Modules
from graders.adapting.reading.outline import Outline

PACKAGES = ("src", "submission")  # names under which editions import their own files
MODULES = {
    "dataset": ("CharCorruptionDataset",),
    "attention": ("precompute_rotary_emb", "apply_rotary_emb", "CausalSelfAttention"),
}


def student_module(name: str) -> ModuleType:
    """Return the student's module of this name, or the stand-in for a file of the starter."""
    modules()
    if (loaded := sys.modules.get(name)) is not None:
        return loaded
    with on_cpu():
        try:
            return importlib.import_module(name)
        except ImportError as error:
            if "relative import" not in str(error):
                raise
        return importlib.import_module(f"{PACKAGES[0]}.{name}")


def notes() -> list[str]:
    """Return notes for the student about the files that are used."""
    student_modules = modules()
    for name in student_modules.files:
        try:  # import errors become notes
            student_module(name)
        except Exception:  # noqa: BLE001, S112  its checks report it
            continue
    return student_modules.notes


def rivals() -> dict[str, list[str]]:
    """Return the files that could have been meant instead of those used."""
    return modules().rivals()


def places() -> dict[str, str]:
    """Return where each name is defined, and the file for each whole criterion."""
    student_modules = modules()
    definitions = {
        name: f"`{name}` in {place}"
        for module, names in MODULES.items()
        for name in names
        if (place := student_modules.definition(module, name))
    }
    whole = {"span-corruption": "dataset", "rotary": "attention"}
    files = {
        key: f"`{place}`" for key, name in whole.items() if (place := student_modules.place(name))
    }
    return {**files, **definitions}


@cache
def modules() -> Modules:
    """Return the student's modules, ready to be imported.

    `from .attention import ...` and `from src.attention import ...` find the same folder.
    """
    student_modules = Modules(code_folder(), MODULES, _is_written, PACKAGES)
    student_modules.install()
    for name in PACKAGES:
        package = ModuleType(name)
        package.__path__ = [str(student_modules.main)]
        sys.modules.setdefault(name, package)
    return student_modules


def _is_written(outline: Outline, name: str) -> bool:
    """Return whether a file has its own version of this name; the starter's attention runs."""
    if name == "CausalSelfAttention":
        return False
    return outline.is_written(name) or (name not in outline.binders and bool(outline.stars))


class SummaryWriter:
    """A stub of TensorBoard's writer; importing the real one takes a second."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.log_dir = ""

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **kwargs: None


sys.modules["torch.utils.tensorboard"] = ModuleType("torch.utils.tensorboard")
vars(sys.modules["torch.utils.tensorboard"])["SummaryWriter"] = SummaryWriter
