"""Stored answers fool a check with known inputs, but no grading by staff."""

import lzma
import shutil
from types import SimpleNamespace

import pytest

from graders.audit.attacks_uploads import build_attacker, build_base, known_attacks
from graders.registry.discovery import load_assignment
from graders.storage.result_json import result_from_text
from tests.planted import examples_of

(ATTACK,) = [attack for attack in known_attacks() if attack.name == "caching-stored-answers"]
ONLY = ("--only", "span-corruption,rotary")


def attacker(base, folder, **targets):
    files = load_assignment("cs224n-a4").files
    return build_attacker(ATTACK, base, folder, files, SimpleNamespace(targets=targets))


def scores(out):
    files = (out / "results").glob("*.json")
    results = [result_from_text(file.read_text(), file.name) for file in files]
    return {result.submission.id: result.score for result in results}


@pytest.fixture
def stored(tmp_path, command_line):
    """A folder with wrong code, and the same with the answers of right code to public inputs."""
    task = load_assignment("cs224n-a4")
    right = examples_of(task.name) / "correct-plain"
    table = tmp_path / "answers"
    recorder = attacker(right, tmp_path / "recorder", record=str(table))
    words = ("--out", tmp_path / "recorded", "--isolation", "none", "--inputs", "public", *ONLY)
    done = command_line("run", task.name, recorder, *words)
    assert done.returncode == 0, done.stderr
    base = build_base(task, tmp_path / "uploads" / "base")
    # Whose mistakes do not depend on what was called before: then a table changes them, too.
    wrong = examples_of(task.name) / "wrong-rotary-heads-as-time"
    shutil.copy(next(wrong.rglob("attention.py")), next(base.rglob("attention.py")))
    hostile = attacker(base, tmp_path / "hostile")
    answers = lzma.compress(table.read_bytes(), preset=1)
    next(hostile.rglob("hostile.py")).with_name("answers.xz").write_bytes(answers)
    shutil.move(hostile, tmp_path / "uploads" / "hostile")
    return tmp_path / "uploads"


@pytest.mark.long
def test_stored_answers_earn_nothing_in_a_batch(stored, tmp_path, command_line):
    for inputs in ("public", "secret"):
        words = ("--out", tmp_path / inputs, "--inputs", inputs, *ONLY)
        assert command_line("batch", "cs224n-a4", stored, *words).returncode == 0
    public, secret = (scores(tmp_path / inputs) for inputs in ("public", "secret"))
    assert public["hostile"] > public["base"] + 1, "the attack must be one"
    assert secret["hostile"] <= secret["base"]
