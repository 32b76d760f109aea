"""Shared by the tests of the reference: the two data folders, and one thread."""

from pathlib import Path

import pytest

from reference.data.world import write_world

COURSE = Path(__file__).parents[3] / "shared" / "data" / "birthplaces"


@pytest.fixture(scope="session", autouse=True)
def tiny_matrices(one_thread):
    """Products of tiny matrices by two threads on a busy machine wait for each other."""


@pytest.fixture(scope="session")
def course():
    """The course's own files; the tests that need them are skipped elsewhere."""
    if not (COURSE / "wiki.txt").is_file():
        pytest.skip("the course's files are not in ../shared/data/birthplaces")
    return COURSE


@pytest.fixture(scope="session")
def world(tmp_path_factory):
    """The built-in sample dataset's files."""
    folder = tmp_path_factory.mktemp("world")
    write_world(folder)
    return folder
