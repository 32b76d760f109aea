"""Replace the libraries that only draw, report or count: they accept everything and print nothing.

Silent        accepts any operation, in place of figures, loggers and displays
wandb         keeps the settings of a run
Finder        finds the stand-ins: some before all libraries, some where a library is missing
quiet_bars    lets tqdm count as usual, but print nothing
"""

import importlib.abc
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from graders.adapting.offline import scores

# Replaced even if installed, so that a submission's points do not depend on the machine.
ALWAYS = (
    "matplotlib", "seaborn", "plotly", "wandb", "mlflow", "comet_ml",
    "IPython", "ipywidgets", "google.colab", "tensorboardX", "torch.utils.tensorboard",
)  # fmt: skip
WHERE_ABSENT = ("pandas", "sklearn", "tensorboard")


class Silent:
    """A stand-in for a figure, logger or display; its attributes and results are silent, too."""

    def __init__(self, name: str = "") -> None:
        self._name = name

    def __getattr__(self, name: str) -> "Silent":
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Silent(name)

    def __call__(self, *values: Any, **named: Any) -> Any:
        if self._name in RESULTS:
            return RESULTS[self._name](*values, **named)
        if len(values) == 1 and not named and inspect.isfunction(values[0]):
            return values[0]  # a decorator that does nothing
        return Silent()

    def __enter__(self) -> "Silent":
        return self

    def __exit__(self, *_reason: object) -> None:
        return

    def __iter__(self) -> Iterator["Silent"]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        return False

    def __float__(self) -> float:
        return 0.0

    def __int__(self) -> int:
        return 0

    def __str__(self) -> str:
        return ""

    def __format__(self, _wanted: str) -> str:
        return ""

    def __fspath__(self) -> str:
        return "."

    def __getitem__(self, _key: object) -> "Silent":
        return Silent()

    def __setitem__(self, _key: object, _value: object) -> None:
        return

    def __contains__(self, _value: object) -> bool:
        return False

    def __mro_entries__(self, _bases: tuple[type, ...]) -> tuple[type, ...]:
        return ()

    def __lt__(self, _other: object) -> bool:
        return False

    __gt__ = __le__ = __ge__ = __lt__

    def _same(self, *_other: object) -> "Silent":
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _same
    __truediv__ = __rtruediv__ = __or__ = __ror__ = __neg__ = _same


def axes(nrows: int = 1, ncols: int = 1, *, squeeze: bool = True, **_more: object) -> Any:
    """Return a figure and its axes, in the shape that matplotlib returns."""
    grid = np.empty((nrows, ncols), dtype=object)
    for place in np.ndindex(nrows, ncols):
        grid[place] = Silent()
    if not squeeze:
        return Silent(), grid
    return Silent(), grid.item() if grid.size == 1 else grid.squeeze()


def _several(count: int) -> Callable[..., list[Silent]]:
    def give(*_values: object, **_named: object) -> list[Silent]:
        return [Silent() for _ in range(count)]

    return give


def _limits(*_values: object, **_named: object) -> tuple[float, float]:
    return 0.0, 1.0


def _legend(*_values: object, **_named: object) -> tuple[list[Any], list[str]]:
    return [], []


# Results that callers unpack, by the name of the function.
RESULTS: dict[str, Callable[..., Any]] = {
    "subplots": axes,
    "plot": _several(1),
    "hist": _several(3),
    **dict.fromkeys(("get_xlim", "get_ylim", "xlim", "ylim"), _limits),
    "get_legend_handles_labels": _legend,
}


# ---------------------------------------------------------------- wandb


class RunSettings(dict[str, Any]):
    """The settings of a run, by key or as attributes."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def update(self, *values: Any, **named: Any) -> None:
        """Add settings; wandb's option `allow_val_change` is ignored."""
        named.pop("allow_val_change", None)
        super().update(*values, **named)


RUN_SETTINGS = RunSettings()


def begin_run(*_values: Any, config: Any = None, **_named: Any) -> Silent:
    """Begin a run with settings from a dictionary, from pairs or from an object's attributes."""
    settings = config if isinstance(config, Mapping | Iterable) else vars(config) if config else {}
    RUN_SETTINGS.update(settings)
    run = Silent()
    vars(run)["config"] = RUN_SETTINGS
    return run


def log_in(*_values: Any, **_named: Any) -> bool:
    """Report success."""
    return True


# ---------------------------------------------------------------- finding the stand-ins


CONTENTS: Mapping[str, Mapping[str, Any]] = {
    "sklearn": scores.PUBLIC,
    "wandb": {"init": begin_run, "config": RUN_SETTINGS, "login": log_in},
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
        if not any(
            name == library or name.startswith(f"{library}.") for library in self._libraries
        ):
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
    return any(Path(here, place).is_file() for here in sys.path[:1] for place in places)


def install() -> None:
    """Install both finders, and unload libraries that a stand-in replaces."""
    replaced = tuple(f"{library}." for library in ALWAYS)
    for name in list(sys.modules):
        if f"{name}.".startswith(replaced):
            del sys.modules[name]
    sys.meta_path.insert(0, Finder(ALWAYS))
    sys.meta_path.append(Finder(WHERE_ABSENT))
    if importlib.util.find_spec("google") is None:  # the empty package around google.colab
        spec = ModuleSpec("google", None, is_package=True)
        sys.modules["google"] = importlib.util.module_from_spec(spec)


def quiet_bars() -> None:
    """Silence tqdm; its notebook bars, which need a notebook, become plain bars."""
    plain: Any = importlib.import_module("tqdm.std")
    plain.tqdm.monitor_interval = 0  # no thread that watches the bars
    plain.tqdm.status_printer = staticmethod(_printer)
    notebook: Any = importlib.import_module("tqdm.notebook")
    notebook.tqdm = notebook.tqdm_notebook = plain.tqdm
    notebook.trange = notebook.tnrange = plain.trange


def _printer(_file: object) -> Callable[[str], None]:
    def say_nothing(_text: str) -> None:
        return

    return say_nothing
