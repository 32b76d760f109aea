"""Run commands: `softmark` in this process or one of its own, and those of a page's blocks."""

import contextlib
import csv
import io
import os
import re
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import pytest

import grade
from commands import console
from reports.terminal import results as terminal

ROOT = Path(__file__).parent.parent
LATER = ", at the end"  # of a title: what the block holds is added to the file
BLOCK = re.compile(r"^```(\w*)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def softmark(*words):
    """The command in this process, which saves a second of imports; a process as it ended."""
    out, err = io.StringIO(), io.StringIO()
    words = ["grade.py", *map(str, words)]
    handler = signal.getsignal(signal.SIGTERM)
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.redirect_stdout(out))
        stack.enter_context(contextlib.redirect_stderr(err))
        stack.enter_context(patch.object(sys, "argv", words))
        stack.enter_context(patch.object(console, "settle"))  # this process has its own folder
        for screen in (terminal.OUT, terminal.ERR):
            stack.enter_context(patch.object(screen, "_width", 100))
            stack.enter_context(patch.object(screen, "quiet", False))  # which --json changes
        stack.callback(signal.signal, signal.SIGTERM, handler)
        end = stack.enter_context(pytest.raises(SystemExit))
        grade.main()
    return subprocess.CompletedProcess(words, end.value.code or 0, out.getvalue(), err.getvalue())


def softmark_process(*words, start=("grade.py",), **options):
    """The command in a process of its own, with nothing of this environment but the path."""
    command = [sys.executable, *start, *map(str, words)]
    environment = {"PATH": os.environ["PATH"], "COLUMNS": "100", "PYTHONPATH": str(ROOT)}
    options = {"cwd": ROOT, "env": environment, "capture_output": True, "text": True} | options
    return subprocess.run(command, **options)


def grades(out):
    """The rows of grades.csv by submission."""
    with (out / "grades.csv").open(newline="", encoding="utf-8") as file:
        return {row["submission"]: row for row in csv.DictReader(file)}


def scores(out):
    return {name: row["score"] for name, row in grades(out).items()}


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
    commands = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            commands.append((line.removeprefix("$ "), []))
        elif commands and line.strip():
            commands[-1][1].append(line)
    return [Typed(command, tuple(shown)) for command, shown in commands]


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
