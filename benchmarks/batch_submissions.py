"""Generated submissions: half right, the others wrong, slow or crashing, from the examples."""

import shutil
import tomllib
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent.parent / "submissions" / "examples" / "cs224n-a4"
KINDS = ("right", "right", "wrong", "right", "wrong", "right", "slow", "right", "wrong", "crashing")
CODE = frozenset({"span-corruption", "rotary"})
SPOILED = {  # what is put before correct code: two seconds of waiting, an end of the process
    "slow": ("dataset.py", "import time\ntime.sleep(2)\n"),
    "crashing": ("attention.py", "import os\nos.abort()\n"),
}


def generate(folder: Path, count: int) -> list[Path]:
    """`count` submissions below the folder, always the same ones."""
    sources = {"right": cycle(_right()), "wrong": cycle(_wrong())}
    made = []
    for number in range(count):
        kind = KINDS[number % len(KINDS)]
        target = folder / f"{number:04}-{kind}"
        shutil.copytree(next(sources["wrong" if kind == "wrong" else "right"]), target)
        (target / "expected.toml").unlink()
        if kind in SPOILED:
            name, text = SPOILED[kind]
            code = target / "src" / name
            code.write_text(text + code.read_text(encoding="utf-8"), encoding="utf-8")
        made.append(target)
    return made


def _right() -> Iterator[Path]:
    for path in sorted(EXAMPLES.iterdir()):
        if path.name.startswith(("correct-", "right-")) and _loses(path) == set():
            yield path


def _wrong() -> Iterator[Path]:
    """Those that are wrong in code alone."""
    for path in sorted(EXAMPLES.iterdir()):
        if path.name.startswith("wrong-") and _loses(path) and _loses(path) <= CODE:
            yield path


def _loses(path: Path) -> set[str]:
    """The criteria in which this example loses points."""
    expected = tomllib.loads((path / "expected.toml").read_text(encoding="utf-8"))
    return set(expected.get("lost", {}))
