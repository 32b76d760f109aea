"""Make progress bars count as usual but print nothing."""

import importlib
from collections.abc import Callable
from typing import Any


def quiet() -> None:
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
