"""The planted examples of bundled assignments, written as folders once per process."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from graders.audit.examples import write_examples
from graders.registry.discovery import load_assignment


@cache
def examples_of(name):
    """A folder with the examples of an assignment; nobody may change what is in it."""
    work = Path(tempfile.mkdtemp(prefix="softmark-examples-"))
    atexit.register(shutil.rmtree, work, ignore_errors=True)
    write_examples(load_assignment(name), work)
    work.chmod(0o755)
    return work


def plain_source():
    """The `src` of a right submission of `cs224n-a4`."""
    return examples_of("cs224n-a4") / "correct-plain" / "src"
