"""Generate submissions from the examples: half correct, the others wrong, slow or crashing."""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path

from graders.audit.examples import EXPECTED, expectation, write_examples
from graders.model import Assignment
from graders.registry.discovery import load_assignment

KINDS = ("right", "right", "wrong", "right", "wrong", "right", "slow", "right", "wrong", "crashing")
CODE = frozenset({"span-corruption", "rotary"})
SPOILED = {  # inserted before correct code: a wait of two seconds, or an exit
    "slow": ("dataset.py", "import time\ntime.sleep(2)\n"),
    "crashing": ("attention.py", "import os\nos.abort()\n"),
}


def generate(folder: Path, count: int) -> list[Path]:
    """Write `count` submissions to the folder, always the same ones."""
    task = load_assignment("cs224n-a4")
    submissions = []
    with tempfile.TemporaryDirectory() as work:
        examples = write_examples(task, Path(work))
        sources = {"right": cycle(_right(examples, task)), "wrong": cycle(_wrong(examples, task))}
        for number in range(count):
            kind = KINDS[number % len(KINDS)]
            target = folder / f"{number:04}-{kind}"
            shutil.copytree(next(sources["wrong" if kind == "wrong" else "right"]), target)
            (target / EXPECTED).unlink()
            if kind in SPOILED:
                name, text = SPOILED[kind]
                code = target / "src" / name
                code.write_text(text + code.read_text(encoding="utf-8"), encoding="utf-8")
            submissions.append(target)
    return submissions


def _right(examples: Sequence[Path], task: Assignment) -> Iterator[Path]:
    for path in examples:
        if path.name.startswith(("correct-", "right-")) and not expectation(path, task).lost:
            yield path


def _wrong(examples: Sequence[Path], task: Assignment) -> Iterator[Path]:
    """Yield the examples that are wrong only in code."""
    for path in examples:
        lost = expectation(path, task).lost.keys()
        if path.name.startswith("wrong-") and lost and lost <= CODE:
            yield path
