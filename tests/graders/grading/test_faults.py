"""Our own faults, caused on purpose: no zero, no free full marks, no smaller maximum."""

import contextlib
import itertools
import os
import shutil
import stat
import time

import pytest

from graders.boundary import policy, student
from graders.boundary.tiers import bubblewrap
from graders.boundary.tiers.sandbox import Tier, best_tier, tier_works, warm_works
from graders.checks import plugin
from graders.checks.time_limit import TimeUp, limit_time
from graders.errors import GraderFault
from graders.grading.options import Options
from graders.grading.pipeline import grade_submission
from graders.registry.discovery import load_assignment
from submissions.receive import identify
from tests.conftest import RIGHT, append, edit

BWRAP = shutil.which("bwrap")


@pytest.fixture
def graded(tiny, hand_in):
    """Grades a right submission of the tiny assignment; each call once more."""
    folder = hand_in(work_py=RIGHT, answer_txt="42")

    def grade(tier=None, assignment=tiny):
        options = Options(tier or best_tier())
        return grade_submission(identify(folder, assignment.name), assignment, options)

    return grade


def costs_nothing(result):
    """What holds of every Result in which something of ours broke."""
    undecided = {c.criterion.id: c.points for c in result.criteria if c.status == "error"}
    assert (result.status, result.score, result.max_score) == ("incomplete", None, 6.0)
    assert undecided
    assert set(undecided.values()) == {None}
    return True


# --- the sandbox's program ---


@pytest.fixture
def fake_bwrap(tmp_path, monkeypatch):
    """Puts a program of this text where bubblewrap is looked for."""
    if BWRAP is None:
        pytest.skip("bubblewrap is not installed")
    folder = tmp_path / "bin"
    folder.mkdir()

    def write(script, *, start_seconds=1.0):
        for module in (student, policy):
            monkeypatch.setattr(module, "START_SECONDS", start_seconds)
        file = folder / "bwrap"
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(file.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
        monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
        bubblewrap._sizes_tmpfs.cache_clear()

    yield write
    bubblewrap._sizes_tmpfs.cache_clear()


@pytest.fixture(scope="module", autouse=True)
def _forget_the_fake():
    """Whether a tier works was found out with the fake: other files have to find out again."""
    yield
    tier_works.cache_clear()
    warm_works.cache_clear()


def test_without_the_sandboxs_program_nothing_is_lost(graded, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    bubblewrap._sizes_tmpfs.cache_clear()
    assert costs_nothing(graded(Tier.BUBBLEWRAP))


@pytest.mark.parametrize(
    "script",
    [
        "exit 1",
        "exit 0",
        "kill -SEGV $$",
        "echo no namespaces left >&2; exit 1",
        "head -c 100000 /dev/urandom; sleep 0.1; exit 0",
        "head -c 100000 /dev/urandom >&0; exit 0",
    ],
)
def test_a_sandbox_that_fails_costs_nothing(graded, fake_bwrap, script):
    fake_bwrap(script)
    assert costs_nothing(graded(Tier.BUBBLEWRAP))


@pytest.mark.parametrize("first", ["", "printf '\\000\\000\\000\\002{}' >&0; "])
def test_a_sandbox_that_never_answers_costs_nothing(graded, fake_bwrap, first):
    """Each of the eight starts is waited for."""
    fake_bwrap(f'{first}[ "$1" = --help ] || exec sleep 60', start_seconds=0.2)
    assert costs_nothing(graded(Tier.BUBBLEWRAP))


def test_a_sandbox_that_does_not_even_say_what_it_can_costs_nothing(
    graded, fake_bwrap, monkeypatch
):
    monkeypatch.setattr(bubblewrap, "HELP_SECONDS", 0.2)
    fake_bwrap("exec sleep 60")
    assert costs_nothing(graded(Tier.BUBBLEWRAP))


@pytest.mark.slow
def test_a_sandbox_that_stops_working_costs_nothing(graded, tiny_folder, fake_bwrap, tmp_path):
    crash_first = "import os\n\n\ndef double(x):\n    return os._exit(3) if x else 0\n"
    (tiny_folder.parent / "uploads" / "ada" / "work.py").write_text(crash_first)
    calls = tmp_path / "calls"
    fake_bwrap(
        f'[ "$1" = --help ] || echo x >> {calls}; [ $(wc -l < {calls}) -le 1 ] || exit 1\n'
        f'exec {BWRAP} "$@"',
        start_seconds=60.0,
    )
    edit(tiny_folder / "checks.py", ', depends_on=("doubles",)', "")
    result = graded(Tier.BUBBLEWRAP, load_assignment(str(tiny_folder)))
    assert costs_nothing(result)
    assert [c.status for c in result.criteria[0].checks] == ["failed", "error"]


# --- checks ---

BROKEN = """
import os
import pytest
import sys


@pytest.fixture
def broken():
    raise RuntimeError("the fixture")


@pytest.fixture
def leaves():
    pytest.exit("the fixture")
"""
CHECK = '''

@pytest.mark.criterion("answer", weight=2)
{kind} test_broken_{number}(student{fixture}):
    """A broken check."""
    {line}
'''
LINES = (
    "raise RuntimeError", "raise StopIteration", "raise MemoryError", "sys.exit(0)",
    "raise SystemExit", "raise GeneratorExit", "import nothing_of_this_name",
    "raise BaseExceptionGroup('two', [ValueError(), SystemExit()])",
    "pytest.skip('not today')", "pytest.xfail('known')", "pytest.fail('no verdict of ours')",
    "return True", "return False",
    "student.call('nothing_of_this_name')", "student.call('double', x=object())",
)  # fmt: skip


@pytest.fixture
def broken(tiny_folder):
    """Adds a check file with a check of each of these lines."""

    def write(*lines, kind="def", fixture=""):
        checks = [
            CHECK.format(number=number, line=line, kind=kind, fixture=fixture)
            for number, line in enumerate(lines)
        ]
        (tiny_folder / "checks_broken.py").write_text(BROKEN + "".join(checks))

    return write


def test_broken_checks_cost_nothing(graded, broken):
    broken(*LINES)
    result = graded()
    assert costs_nothing(result)
    statuses = {check.id: check.status for check in result.criteria[1].checks}
    passed = [line for n, line in enumerate(LINES) if statuses[f"broken-{n}"] != "error"]
    assert passed == []


@pytest.mark.parametrize(
    ("line", "kind", "fixture"),
    [
        ("pytest.exit('enough')", "def", ""),
        ("yield", "def", ""),
        ("pass", "def", ", broken"),
        ("pass", "def", ", leaves"),
        ("assert False", "async def", ""),
    ],
)
def test_a_broken_check_costs_nothing(graded, broken, line, kind, fixture):
    broken(line, kind=kind, fixture=fixture)
    assert costs_nothing(graded())


def test_a_check_that_never_ends_costs_nothing(graded, broken, monkeypatch):
    monkeypatch.setattr(plugin, "GRACE", -9.0)  # of the 10 s that the student has
    broken("while True:\n        pass")
    result = graded()
    assert costs_nothing(result)
    assert "took more than 1 s" in result.environment["faults"][0]


def test_a_limit_inside_another_ends_alone():
    def check():
        with contextlib.suppress(TimeUp), limit_time(0.01, processor=True):
            while True:
                pass
        time.sleep(9)

    took = r"the check took more than 0.5 s"
    with pytest.raises(GraderFault, match=took) as error, limit_time(0.5):
        check()
    assert not isinstance(error.value, TimeUp)  # it is not because of what a student wrote


def test_processor_time_does_not_count_waiting():
    with limit_time(0.05, processor=True):
        time.sleep(0.3)


FOR_A_MOMENT = """
import pytest
from hypothesis import given, strategies as st
from graders.errors import GraderFault

seen = []

@pytest.mark.criterion("double")
@given(x=st.integers())
def test_once(x):
    \"\"\"Numbers are doubled.\"\"\"
    seen.append(x)
    if len(seen) == 3:
        raise GraderFault("the disk was full")
"""


def test_staff_read_the_fault_that_did_not_come_again(graded, tiny_folder):
    """hypothesis tries again, and speaks of flakiness then."""
    (tiny_folder / "checks_moment.py").write_text(FOR_A_MOMENT)
    result = graded()
    assert costs_nothing(result)
    assert "the disk was full" in result.environment["faults"][0]


def test_an_assertion_of_our_own_is_not_the_students(graded, broken, monkeypatch):
    monkeypatch.setattr(student.Student, "_start", student.Student._start)  # put back at the end
    line = "from graders.boundary import student as own\n    own.Student._start = lambda _: None"
    broken(f"{line}\n    student._stop()\n    student.call('double', x=1)")
    assert costs_nothing(graded())


def test_what_stays_without_checks_earns_nothing(graded, tiny_folder):
    edit(tiny_folder / "checks.py", 'criterion("answer")', 'criterion("double")')
    result = graded()
    assert costs_nothing(result)
    assert result.criteria[1].points is None
    for nothing in ("# nothing\n", "import nothing_of_this_name\n"):
        (tiny_folder / "checks.py").write_text(nothing)
        assert costs_nothing(graded())


# --- the machine ---


def test_a_jump_of_the_date_alters_no_result_and_nothing_is_left(graded, tmp_path, monkeypatch):
    """Forward and back; neither a fault nor a temporary file."""
    here = tmp_path / "temporary"
    here.mkdir(mode=0o711)
    os.chmod(tmp_path, 0o711)
    monkeypatch.setattr("tempfile.tempdir", str(here))
    now, jumps = time.time, itertools.cycle((0.0, -1e9, 1e9))
    monkeypatch.setattr(time, "time", lambda: now() + next(jumps))
    result = graded()
    assert result.environment.get("faults", []) == []
    assert (result.status, result.score) == ("graded", 6.0)
    assert list(here.iterdir()) == []


def test_an_upload_that_is_gone_is_not_rejected(tiny, hand_in):
    submission = identify(hand_in(work_py=RIGHT), tiny.name)
    shutil.rmtree(submission.path)
    result = grade_submission(submission, tiny, Options(best_tier()))
    assert costs_nothing(result)
    assert "is not on this machine" in result.criteria[0].checks[0].message


@pytest.mark.parametrize("gone", ["student_side.py", "checks.py", ""])
def test_an_assignment_that_is_gone_costs_nothing(graded, tiny_folder, gone):
    path = tiny_folder / gone
    path.unlink() if gone else shutil.rmtree(path)
    assert costs_nothing(graded())


# --- a process that somebody else kills ---

KILLED = """
@pytest.mark.criterion("answer")
def test_killed(student):
    \"\"\"A check in which the student's process is killed from outside.\"\"\"
    import os, signal
    from pathlib import Path
    from graders.boundary.limits.usage import process_tree
    student.call("double", x=1)
    left = Path({file!r})
    if number := int(left.read_text()):
        left.write_text(str(number - 1))
        victim, send = process_tree(student._child.pid)[-1], student._child._send
        os.kill(victim, signal.SIGSTOP)  # it does not answer before it is killed
        student._child._send = lambda *given: (send(*given), os.kill(victim, signal.SIGKILL))
    student.call("double", x=2)
"""


@pytest.fixture
def killed(tiny_folder, tmp_path, graded):
    """Grades with a check in which the process is killed the first few times."""

    def grade(times):
        file = tmp_path / "times"
        file.write_text(str(times))
        append(tiny_folder / "checks.py", KILLED.format(file=str(file)))
        return graded(assignment=load_assignment(str(tiny_folder)))

    return grade


by_others = pytest.mark.skipif(best_tier() is Tier.NONE, reason="a child could kill itself")


@by_others
def test_whoever_was_killed_once_is_graded_again(killed):
    result = killed(1)
    assert (result.status, result.score) == ("graded", 6.0)


@by_others
def test_whoever_is_killed_twice_has_not_used_too_much(killed):
    result = killed(2)
    assert costs_nothing(result)
    messages = [check.message for criterion in result.criteria for check in criterion.checks]
    assert not any("used too much" in text for text in messages)
    assert any("killed" in text for text in messages)
