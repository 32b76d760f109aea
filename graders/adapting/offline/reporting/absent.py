"""Stand-ins, found by import, for libraries that no sandbox needs or has.

Two finders: one before all others, for what only draws and reports; one after all others, for what
a machine may have. The first stands in even where the library is installed: a submission's points
do not depend on the machine.
"""

import importlib.abc
import importlib.util
import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

from graders.adapting.offline import scores
from graders.adapting.offline.reporting import tracking
from graders.adapting.offline.reporting.silent import Silent

ALWAYS = (
    *("matplotlib", "seaborn", "plotly", "wandb", "mlflow", "comet_ml"),
    *("IPython", "ipywidgets", "google.colab", "tensorboardX", "torch.utils.tensorboard"),
)
WHERE_ABSENT = ("pandas", "sklearn", "tensorboard")
CONTENTS: Mapping[str, Mapping[str, Any]] = {
    "sklearn": scores.PUBLIC,
    "wandb": tracking.PUBLIC,
}


class SilentModule(ModuleType):
    """A module that has every name."""

    def __getattr__(self, name: str) -> Silent:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Silent(name)


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds a stand-in for each library of a list, and for every module inside it."""

    def __init__(self, libraries: Sequence[str]) -> None:
        self._libraries = libraries

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> Any:
        """The stand-in's description, unless the submission has a module of this name."""
        if not any(name == each or name.startswith(f"{each}.") for each in self._libraries):
            return None
        return None if _handed_in(name.split(".")[0]) else ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """An empty module of that name."""
        return SilentModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Give the module what it has of its own."""
        vars(module)["__version__"] = "0"
        vars(module).update(CONTENTS.get(module.__name__.split(".")[0], {}))


def _handed_in(library: str) -> bool:
    places = (f"{library}.py", f"{library}/__init__.py")
    return any(Path(here, each).is_file() for here in sys.path[:1] for each in places)


def install() -> None:
    """Put both finders in place, and let go of libraries that a stand-in replaces."""
    for name in list(sys.modules):
        if any(name == each or name.startswith(f"{each}.") for each in ALWAYS):
            del sys.modules[name]
    sys.meta_path.insert(0, Finder(ALWAYS))
    sys.meta_path.append(Finder(WHERE_ABSENT))
    if importlib.util.find_spec("google") is None:  # the empty package around google.colab
        spec = ModuleSpec("google", None, is_package=True)
        sys.modules["google"] = importlib.util.module_from_spec(spec)
