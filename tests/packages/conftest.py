"""Packages of the tiny assignment, unpacked as Gradescope does."""

import pytest

from graders.registry.discovery import load_assignment
from packages.gradescope.autograder import write_autograder
from packages.gradescope.settings import Settings
from tests.packages.container import Container, lay_out, needs_containers

WRONG = "def double(x):\n    return x\n"


@pytest.fixture
def autograder(tiny_folder, tmp_path):
    """`autograder(docker=True, isolation="none")`: a container with a package of `tiny`."""
    needs_containers()

    def make(docker=True, denied=(), **settings):
        package = tmp_path / "autograder.zip"
        write_autograder(load_assignment(str(tiny_folder)), package, Settings("tiny", **settings))
        container = Container(lay_out(package, tmp_path / "root"), docker, denied)
        done = container.set_up()
        assert done.returncode == 0, done.stderr
        return container

    return make
