"""How a student's child ends, on its own or by a limit, and what the next call gets."""

import os
import re
import signal
import threading
import time
from functools import partial

import pytest

from graders.boundary import process
from graders.boundary.limits.usage import process_tree
from graders.boundary.policy import MAX_FAULTS
from graders.boundary.student import Budget
from graders.boundary.tiers.sandbox import Tier, best_tier
from graders.errors import (
    BadReply,
    SandboxFailed,
    StudentExited,
    StudentRaised,
    StudentSignalled,
    StudentTimedOut,
)
from tests.graders.boundary.conftest import open_student

EXIT = ("import os; os._exit(0)", StudentExited, r"exit status 0\) before it answered")
CRASH = ("import ctypes; ctypes.string_at(0)", StudentSignalled, r"fault \(signal 11\)")


@pytest.mark.parametrize(("source", "fault", "words"), [EXIT, CRASH])
def test_end_of_the_child_costs_one_call(start_in, source, fault, words):
    with pytest.raises(fault, match=words):
        start_in().call("run", source=source)


@pytest.mark.promise("limits on memory, time, processes, files, disk and output")
def test_call_without_end_is_stopped(start_in):
    with pytest.raises(StudentTimedOut, match=r"more than 0\.5 s"):
        start_in(wall_seconds=0.5).call("run", source="import time; time.sleep(99)")


@pytest.mark.parametrize(
    ("call", "place"),
    [
        ({"module": "endless", "function": "f"}, r"endless\.py, line [12]"),  # while it is imported
        ({"module": "waiting", "function": "wait", "seconds": 99}, r"waiting\.py, line 3"),
    ],
)
def test_a_time_out_tells_where_the_code_was(start_in, call, place):
    student = start_in(wall_seconds=1)
    for _ in range(2):  # the next call of the same check is refused
        with pytest.raises(StudentTimedOut, match="more than 1 s") as stopped:
            student.call("make", **call)
        assert re.fullmatch(place, stopped.value.where)


def test_code_that_changes_the_timer_is_stopped_all_the_same(start_in):
    source = "import signal, time; signal.alarm(0); time.sleep(99)"
    with pytest.raises(StudentTimedOut):
        start_in(wall_seconds=0.5).call("run", source=source)


def test_code_may_set_the_timer_itself(opener):
    student = opener()
    source = "import signal, time; signal.alarm(1); time.sleep(1.3); result = 7"
    assert student.call("run", source=source) == 7
    assert student.call("echo", value=8) == 8, "nothing was sent without a request"


def test_an_answer_that_comes_too_late_is_none(opener):
    source = "import signal, time; signal.alarm(0); time.sleep(1.3)"
    with pytest.raises(StudentTimedOut):
        opener(wall_seconds=1).call("run", source=source)


@pytest.mark.parametrize(
    ("source", "words"),
    [("os.abort()", r"abort \(signal 6\)"), ("os._exit(137)", "signal")],
)
def test_other_ends_of_the_child(start, source, words):
    """Nothing that it does to itself looks like a SIGKILL from outside."""
    student = start()
    with pytest.raises(StudentRaised, match="PermissionError"):
        student.call("run", source="import os; os.kill(os.getpid(), 9)")
    with pytest.raises(StudentSignalled, match=words):
        student.call("run", source=f"import os; {source}")


@pytest.mark.skipif(best_tier() is Tier.NONE, reason="nothing but the child itself is known")
def test_a_kill_that_nothing_explains_is_not_the_students(start):
    """As of a machine that is short of memory; the rest of the check is not judged by another."""
    student = start()
    for _ in range(2):
        assert student.call("echo", value=1) == 1
        # While it works: a process that ended before the next call is replaced by a new one.
        kill = partial(os.kill, process_tree(student._child.pid)[-1], signal.SIGKILL)
        threading.Timer(0.3, kill).start()
        for source in ("import time; time.sleep(30)", ""):
            with pytest.raises(SandboxFailed, match="killed"):
                student.call("run", source=source)
        student.begin_check()
    assert student.call("echo", value=3) == 3


@pytest.mark.skipif(best_tier() is Tier.NONE, reason="nothing but the child itself is known")
def test_kills_between_two_calls_lose_no_answer_and_count_for_nobody(start):
    student = start()
    for number in range(MAX_FAULTS + 1):
        assert student.call("echo", value=number) == number
        os.kill(process_tree(student._child.pid)[-1], signal.SIGKILL)
        while not student._child._process.has_ended():
            time.sleep(0.01)


def test_the_last_of_many_faults_keeps_its_hint(opener):
    student = opener()
    for _ in range(MAX_FAULTS + 1):
        with pytest.raises(StudentExited) as ended:
            student.call("run", source="import os; os._exit(3)")
    assert "not called again" in str(ended.value)
    assert "sys.exit" in ended.value.hint


def test_a_child_of_the_child_does_not_answer_in_its_place(opener):
    student = opener()

    def ask():
        student.call("run", source="import os\nif os.fork(): os._exit(0)")
        for _ in range(100):
            student.call("run", source="import time; time.sleep(0.1)")

    with pytest.raises(StudentExited):
        ask()


def test_closed_channel_is_a_bad_reply(opener):
    source = "import os, time; os.closerange(0, 99); time.sleep(99)"
    with pytest.raises(BadReply, match="closed its connection"):
        opener(Tier.NONE).call("run", source=source)


@pytest.mark.parametrize(
    "signals", ["", "import signal; signal.signal(signal.SIGXCPU, lambda *_: 0)"], ids=["", "deaf"]
)
def test_processor_time_is_limited(start, signals, monkeypatch):
    monkeypatch.setattr(process, "TREE_CPU_GRACE", 0.5)
    student = start(wall_seconds=30, cpu_seconds=1)
    with pytest.raises(StudentTimedOut, match="1 s of processor time"):
        student.call("run", source=f"{signals}\nwhile True: pass")


def test_budget_is_shared_by_the_calls_of_a_check(opener):
    student = opener(wall_seconds=2)
    for _ in range(3):
        student.call("run", source="import time; time.sleep(0.5)")
    with pytest.raises(StudentTimedOut):
        student.call("run", source="import time; time.sleep(9)")
    with pytest.raises(StudentTimedOut):
        student.call("echo", value=1)
    student.begin_check()
    assert student.call("echo", value=1) == 1


def test_a_fresh_child_serves_the_next_call_until_three_have_ended(opener):
    student = opener()
    for _ in range(3):
        student.call("run", source="open('left', 'w').close()")
        with pytest.raises(StudentExited):
            student.call("run", source="import os; os._exit(1)")
    with pytest.raises(StudentExited, match="happened 3 times, so your code was not called again"):
        student.call("echo", value=1)
    student.begin_criterion()
    assert student.call("run", source="import os; result = os.listdir('.')") == []


@pytest.mark.parametrize("warm", [False, True])
def test_close_leaves_nothing_behind(opener, warm):
    start = partial(opener, warm=warm)
    if warm:
        start().call("echo")  # the warm parent stays
    before = len(os.listdir("/proc/self/fd")), threading.active_count()
    student = start()
    stage = student._stage.root
    student.call("echo")
    student.close()
    student.close()
    assert (len(os.listdir("/proc/self/fd")), threading.active_count()) == before
    assert not stage.exists()


# It may come between the opening of a file and its closing, which Python remarks on.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_interrupt_ends_the_child(start):
    student = start()
    student.call("echo")
    # A shell that starts the tests in the background leaves the signal ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Timer(0.5, lambda: os.kill(os.getpid(), 2)).start()
        with pytest.raises(KeyboardInterrupt):
            student.call("run", source="import time; time.sleep(20)")
    finally:
        signal.signal(signal.SIGINT, before)
    assert student._child is None


SLEEP = "import time; time.sleep(99)"


def test_all_checks_together_have_a_budget(opener):
    """A check that it ends says so, and so do those after it, which ask nothing more."""
    student = opener(wall_seconds=1, total_seconds=1.5)
    for words in ("more than 1 s", r"the 1\.5 s that a submission has for all checks together"):
        student.begin_check()
        with pytest.raises(StudentTimedOut, match=words):
            student.call("run", source=SLEEP)
    student.begin_criterion()
    student.begin_check()
    with pytest.raises(StudentTimedOut, match="remaining checks cannot run"):
        student.call("echo", value=1)
    assert student._child is None


def test_processes_of_a_submission_share_their_budget(code):
    budget = Budget(1.0)
    students = [open_student(code, best_tier(), budget=budget) for _ in range(2)]
    with students[0] as first, students[1] as second:
        assert second.call("echo", value=1) == 1
        with pytest.raises(StudentTimedOut, match="all checks together"):
            first.call("run", source=SLEEP)
        with pytest.raises(StudentTimedOut, match="all checks together"):
            second.call("echo", value=1)


def test_a_reader_that_raises_leaves_the_process(opener):
    """A reply that cannot be read is no reason to end a child that answered."""
    student = opener()
    with pytest.raises(BadReply):
        student.call("echo", value="x", read=lambda reply: reply["y"])
    child = student._child
    assert student.call("echo", value=3, read=float) == 3.0
    assert student._child is child
