"""The resources that a student's processes used, measured from outside in every tier."""

import sys

import pytest

from graders.errors import StudentFault

if sys.platform != "linux":
    pytest.skip("Linux only", allow_module_level=True)

MiB = 2**20
HOLD = "held = bytearray({} * 2**20)"
SPIN = "import time\nstart = time.process_time()\nwhile time.process_time() < start + {}: pass\n"
FORK = "import os\npid = os.fork()\nif not pid:\n    {}\n    os._exit(0)\nos.waitpid(pid, 0)"


def used_by(student, *sources):
    """What is said of the student once it is closed."""
    student.call("echo", value=1)
    before = student.resources
    for source in sources:
        student.call("run", source=source)
    living = student.resources
    student.close()
    after = student.resources
    assert after.cpu_seconds >= living.cpu_seconds
    return after.peak_memory_bytes - before.peak_memory_bytes, after.cpu_seconds


def test_a_peak_is_seen_after_it_has_passed(start_in):
    memory, _ = used_by(start_in(), HOLD.format(200), "pass")
    assert 150 * MiB < memory < 400 * MiB


def test_time_of_a_process_that_it_started_counts(start_in):
    source = FORK.format(SPIN.format(0.6).replace("\n", "\n    "))
    assert 0.6 <= used_by(start_in(), source)[1] < 15


@pytest.mark.long
def test_children_are_taken_together(start_in):
    """The first is ended by its own code: the second one's peak is lower, its time is added."""
    student = start_in()
    student.call("run", source=HOLD.format(200) + "\n" + SPIN.format(0.6))
    high = student.resources
    with pytest.raises(StudentFault):
        student.call("run", source="import os; os._exit(3)")
    student.call("run", source=SPIN.format(0.6))
    both = student.resources
    assert both.peak_memory_bytes >= high.peak_memory_bytes > 200 * MiB
    assert both.cpu_seconds >= high.cpu_seconds + 0.6


def test_whoever_is_not_asked_uses_nothing(start_in):
    assert start_in().resources.peak_memory_bytes == 0
