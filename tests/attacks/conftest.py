"""Batches that contain attackers, graded by the command line in every tier that isolates."""

import atexit
import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

import grade
from graders.audit.attacks import among, changes, gains
from graders.audit.attacks_canaries import VARIABLE, Canaries
from graders.audit.attacks_uploads import build_attackers, build_base, known_attacks
from graders.audit.validate import build_solution
from graders.boundary.tiers.sandbox import Tier, tier_works
from graders.registry.discovery import load_assignment
from graders.storage.result_json import result_from_text
from submissions.receive import identify_all

ROOT = Path(__file__).parents[2]
WALLS = [tier for tier in Tier if tier is not Tier.NONE and tier_works(tier)]
ATTACKS = {attack.name: attack for attack in known_attacks()}
QUICK = (
    "archives-slip", "forging-frames", "killing-everything", "lying-tensor",
    "markup-errors", "network-connect", "outliving-daemon", "reading-files",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Batch:
    """What a batch with attackers came to."""

    problems: dict[str, list[str]]
    together: list[str]
    out: Path
    output: str


def softmark(*words, home, **variables):
    """The command line, in a process whose environment and home are the test's."""
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "COLUMNS": "120"}
    environment |= {"HOME": str(home), **variables}
    command = [sys.executable, "grade.py", *map(str, words)]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=1500
    )


def tightened(folder, *, wall_seconds):
    """A copy of the A4 assignment in which endless code is stopped soon."""
    shutil.copytree(ROOT / "graders" / "assignments" / "cs224n_a4", folder)
    file = folder / "assignment.toml"
    text = re.sub(r"wall_seconds = \S+", f"wall_seconds = {wall_seconds}", file.read_text())
    file.write_text(re.sub(r"memory_bytes = \d+", f"memory_bytes = {2**31}", text))
    return folder


def results_in(out):
    files = (out / "results").glob("*.json")
    results = [result_from_text(file.read_text(), file.name) for file in files]
    return {result.submission.id: result for result in results}


@cache
def graded_alone(only):
    """A folder with the assignment, and wrong and honest code and what they earn."""
    work = Path(tempfile.mkdtemp(prefix="softmark-alone-"))
    atexit.register(shutil.rmtree, work, ignore_errors=True)
    folder = tightened(work / "assignment", wall_seconds=5)
    task = load_assignment(str(folder))
    build_base(task, work / "alone" / "base")
    build_solution(task, work / "alone" / "honest")
    plain = ("batch", folder, work / "alone", "--out", work / "first", "--executor", "serial")
    first = CliRunner().invoke(grade.app, [*map(str, plain), "--only", only])
    assert first.exit_code == 0, first.output
    return work


def battle(work, tier, names, *, only):
    """Grade the honest code among attackers, and compare with what was graded alone."""
    shutil.copytree(graded_alone(only), work, dirs_exist_ok=True)
    work.chmod(0o755)
    home, out, folder = work / "home", work / "second", work / "assignment"
    home.mkdir()
    task = load_assignment(str(folder))
    base, honest = work / "alone" / "base", work / "alone" / "honest"
    with planted(work, home, honest) as canaries:
        chosen = [ATTACKS[name] for name in names]
        attacks = build_attackers(chosen, base, work / "uploads", task.files, canaries)
        shutil.copytree(honest, work / "uploads" / "honest")
        secret = {VARIABLE: canaries.secrets["env"]}
        words = ("--isolation", tier.value, "--only", only)
        words = (work / "uploads", "--out", out, "--jobs", 2, *words)
        done = softmark("batch", folder, *words, home=home, **secret)
        problems, together = compared(work, attacks, canaries)
    return Batch(problems, together, out, done.stdout + done.stderr)


@contextlib.contextmanager
def planted(work, home, honest):
    """Canaries in this home; among them another student's code and result, and the store."""
    files = [next(honest.rglob("dataset.py")), work / "first" / "results" / "honest.json"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        with Canaries(work, [*files, *(work / "first").glob("*.sqlite")]) as canaries:
            yield canaries


def compared(work, attacks, canaries):
    """What each attack gained, and what all of them changed."""
    alone, graded = results_in(work / "first"), results_in(work / "second")
    paths = among(list(attacks), work / "uploads" / "honest")
    ids = {submission.path: submission.id for submission in identify_all(paths, "cs224n-a4")}
    problems = {
        attack.name: [*gains(graded[ids[path]], alone["base"], canaries)]
        for path, attack in attacks.items()
    }
    return problems, [*changes(graded["honest"], alone["honest"]), *canaries.harmed()]


@pytest.fixture(scope="session", params=WALLS, ids=lambda tier: tier.value)
def quick(request, tmp_path_factory):
    """A few attackers of several classes, in each tier."""
    return battle(tmp_path_factory.mktemp("quick"), request.param, QUICK, only="rotary")


@pytest.fixture(scope="session", params=WALLS, ids=lambda tier: tier.value)
def all_out(request, tmp_path_factory):
    """All attackers at once, in each tier."""
    only = "span-corruption,rotary,london-baseline,checkpoints"
    return battle(tmp_path_factory.mktemp("all"), request.param, sorted(ATTACKS), only=only)


@pytest.fixture
def forge(tmp_path):
    """Grades A4 attackers without isolation, where harmless ones succeed."""
    return lambda *names: battle(tmp_path, Tier.NONE, names, only="rotary")


@pytest.fixture
def command_line(tmp_path):
    """The command line with a home of its own."""
    home = tmp_path / "home"
    home.mkdir()
    return partial(softmark, home=home)
