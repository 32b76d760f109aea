"""Provide what starter code expects and a sandbox without a network lacks.

    ready() -> settings: no library looks for a network
            -> datasets, evaluate: the libraries, with local rows and scores
            -> accelerate: one process on the CPU, whatever GPU the code was written for
            -> reporting: libraries that only draw or report are stand-ins; bars print nothing
            -> hub: names of the hub return tiny local models and tokenizers
            -> old_names: names that newer releases of transformers removed
            -> places: files can be saved in folders that do not exist here

Importing this package imports none of its modules; `ready` imports them and the libraries.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache


@cache
def ready() -> None:
    """Set up everything that starter code needs; a second call changes nothing."""
    with _libraries_only():
        from graders.adapting.offline import (
            accelerate,
            datasets,
            evaluate,
            hub,
            old_names,
            places,
            reporting,
            settings,
        )

        settings.cut_off()
        for module in (datasets, evaluate, accelerate):
            module.install()
        reporting.install()
        reporting.quiet_bars()
        hub.install()
        old_names.install()
        places.install()


@contextmanager
def _libraries_only() -> Iterator[None]:
    """Keep the submission's files, such as a `tokenizers.py`, from shadowing libraries."""
    code = sys.path.pop(0)
    try:
        yield
    finally:
        sys.path.insert(0, code)
