"""What the starters of the coursework expect and a sandbox without a network lacks.

    ready() -> settings: nothing looks for a network
            -> datasets, evaluate: the libraries, with rows and scores that are here already
            -> accelerate: one process on the CPU, whatever GPU the code was written for
            -> absent: what only draws or reports is a stand-in
            -> progress: bars count, and print nothing
            -> hub: a name of the hub means a tiny model or tokenizer made here
            -> old_names: what newer transformers have removed is there again
            -> places: files may be kept in folders that are not here

Importing this package is cheap; the libraries are imported by `ready` and by what makes a model.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from graders.adapting.offline import (
    accelerate,
    datasets,
    evaluate,
    hub,
    old_names,
    places,
    settings,
)
from graders.adapting.offline.reporting import absent, progress


@cache
def ready() -> None:
    """Make sure of all that the starters need; a second call changes nothing."""
    with _libraries_only():
        settings.cut_off()
        for each in (datasets, evaluate, accelerate):
            each.install()
        absent.install()
        progress.quiet()
        hub.install()
        old_names.install()
        places.install()


@contextmanager
def _libraries_only() -> Iterator[None]:
    """Keep the submission's files, a `tokenizers.py` perhaps, from being taken for libraries."""
    code = sys.path.pop(0)
    try:
        yield
    finally:
        sys.path.insert(0, code)
