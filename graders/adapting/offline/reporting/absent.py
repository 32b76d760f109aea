"""Provide importable stand-ins for libraries that the sandbox does not need or have.

One finder comes before all others, for libraries that only draw and report; one comes after all
others, for libraries that may be installed. The first applies even if the library is installed, so
that a submission's points do not depend on the machine.
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
    """A module that has every attribute."""

    def __getattr__(self, name: str) -> Silent:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Silent(name)


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Find a stand-in for each library of a list, and for every module inside it."""

    def __init__(self, libraries: Sequence[str]) -> None:
        self._libraries = libraries

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> Any:
        """Return the stand-in's spec, unless the submission has a module of this name."""
        if not any(name == each or name.startswith(f"{each}.") for each in self._libraries):
            return None
        return None if _handed_in(name.split(".")[0]) else ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return an empty module of that name."""
        return SilentModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Add the contents that the stand-in provides."""
        vars(module)["__version__"] = "0"
        vars(module).update(CONTENTS.get(module.__name__.split(".")[0], {}))


def _handed_in(library: str) -> bool:
    places = (f"{library}.py", f"{library}/__init__.py")
    return any(Path(here, each).is_file() for here in sys.path[:1] for each in places)


def install() -> None:
    """Install both finders, and unload libraries that a stand-in replaces."""
    for name in list(sys.modules):
        if any(name == each or name.startswith(f"{each}.") for each in ALWAYS):
            del sys.modules[name]
    sys.meta_path.insert(0, Finder(ALWAYS))
    sys.meta_path.append(Finder(WHERE_ABSENT))
    if importlib.util.find_spec("google") is None:  # the empty package around google.colab
        spec = ModuleSpec("google", None, is_package=True)
        sys.modules["google"] = importlib.util.module_from_spec(spec)
