"""Planted attacks, submitted to a container without namespaces, in both remaining tiers."""

import json
import shutil

import pytest

from graders.audit.attacks import LOOT
from graders.audit.attacks_canaries import Canaries
from graders.audit.attacks_uploads import build_attacker, build_base, known_attacks
from graders.registry.discovery import load_assignment
from packages.gradescope.autograder import write_autograder
from packages.gradescope.settings import Settings
from tests.packages.container import LANDLOCK, Container, lay_out, needs_containers

pytestmark = pytest.mark.long
A4 = load_assignment("cs224n-a4")
TIERS = {"landlock": ("auto", ()), "none": ("none", LANDLOCK)}
TRIED = (
    "forging-files", "forging-next-reply", "forging-descriptors", "reading-grader",
    "reading-processes", "reading-environment", "killing-grader", "killing-everything",
    "patching-graders", "hunting-modules", "outliving-program", "network-connect",
)  # fmt: skip


@pytest.fixture(scope="module", params=TIERS)
def container(request, tmp_path_factory):
    """A container with A4's package, in one tier."""
    needs_containers()
    isolation, denied = TIERS[request.param]
    place = tmp_path_factory.mktemp("gradescope")
    settings = Settings(A4.name, only=("rotary",), isolation=isolation)
    write_autograder(A4, place / "a.zip", settings)
    autograder = Container(lay_out(place / "a.zip", place / "root"), docker=True, denied=denied)
    assert autograder.set_up().returncode == 0
    return autograder


@pytest.fixture(scope="module")
def wrong(tmp_path_factory):
    """The wrong code below every attack."""
    return build_base(A4, tmp_path_factory.mktemp("base") / "base")


@pytest.fixture(scope="module")
def without_attack(container, wrong):
    """What the wrong code earns alone."""
    return graded(container, wrong)["score"]


def graded(container, upload):
    folder = container.root / "autograder/submission"
    shutil.rmtree(folder)
    shutil.copytree(upload, folder)
    document, done = container.grade(timeout=580)
    assert done.returncode == 0
    return document


@pytest.mark.parametrize("name", TRIED)
def test_attack_gains_nothing(container, wrong, without_attack, tmp_path, name):
    attack = next(attack for attack in known_attacks() if attack.name == name)
    (tmp_path / "canaries").mkdir()
    with Canaries(tmp_path / "canaries") as canaries:
        upload = build_attacker(attack, wrong, tmp_path / "uploads", A4.files, canaries)
        document = graded(container, upload)
        assert not list(canaries.harmed())
    assert document["score"] <= without_attack < 4
    assert LOOT not in json.dumps(document)
