"""Read the console blocks of a page: the commands, and the output that the page shows."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
LATER = ", at the end"  # of a title: what the block holds is added to the file
BLOCK = re.compile(r"^```(\w*)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    language: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Typed:
    command: str
    shown: tuple[str, ...]


def blocks_of(text):
    for language, rest, content in BLOCK.findall(text):
        title = re.search(r'title="([^"]+)"', rest)
        yield Block(language, title[1] if title else "", content)


def typed_in(block):
    """The commands behind `$`, each with the lines that follow it."""
    found = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            found.append((line.removeprefix("$ "), []))
        elif found and line.strip():
            found[-1][1].append(line)
    return [Typed(command, tuple(shown)) for command, shown in found]


def write_file(block, place):
    """Write the file of a block whose title is its name; or add to it, or find it as it is."""
    file = place / block.title.removesuffix(LATER)
    later = block.title.endswith(LATER)
    if file.exists() and not later:
        assert file.read_text(encoding="utf-8") == block.text, file
        return
    with file.open("a" if later else "x", encoding="utf-8") as target:
        target.write("\n\n" * later + block.text)


def with_softmark_on_the_path(folder):
    """An environment where `python` is this one and `softmark` this checkout's."""
    folder.mkdir()
    ours = {"python": sys.executable, "softmark": f"{sys.executable} {ROOT / 'grade.py'}"}
    for name, words in ours.items():
        (folder / name).write_text(f'#!/bin/sh\nexec {words} "$@"\n')
        (folder / name).chmod(0o755)
    path = os.pathsep.join([str(folder), os.environ["PATH"]])
    return os.environ | {"PATH": path, "COLUMNS": "120", "NO_COLOR": "1"}


def say(command, *, cwd, env):
    """What the shell makes of a command: stdout and stderr together, and the exit status."""
    together = {"stdin": subprocess.DEVNULL, "stderr": subprocess.STDOUT}
    words = ["bash", "-c", command]
    return subprocess.run(words, cwd=cwd, env=env, stdout=subprocess.PIPE, text=True, **together)
