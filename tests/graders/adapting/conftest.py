"""Uploads of a few lines, written for each test that requests them."""

import itertools
import json

import pytest

from graders.adapting.gathered import gather
from graders.model import Limits
from tests.conftest import write_files

from .offline_process import offline, run_offline  # noqa: F401  fixtures, too

LIMITS = Limits(
    wall_seconds=120, cpu_seconds=60, memory_bytes=2**31, output_bytes=10_000, processes=24
)


def notebook(*cells):
    """A notebook of these cells; one that starts with `#` is text, every other is code."""
    kinds = ["markdown" if cell.startswith("#") else "code" for cell in cells]
    written = [
        {"cell_type": kind, "metadata": {}, "source": cell.splitlines(keepends=True)}
        for kind, cell in zip(kinds, cells, strict=True)
    ]
    return json.dumps({"cells": written, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


@pytest.fixture
def take(tmp_path):
    """Write files (text, bytes or the cells of a notebook) and gather names from them."""

    uploads = itertools.count()

    def take(files, *names, **options):
        written = {
            name: notebook(*content) if isinstance(content, list) else content
            for name, content in files.items()
        }
        folder = write_files(tmp_path / f"upload{next(uploads)}", written)
        return gather(folder, wanted=names, **options)

    return take
