"""One contract for all executors."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from graders.errors import GraderFault, UsageError
from graders.execution.executors import EXECUTORS, make_executor

LONG = [
    pytest.mark.long,
    pytest.mark.skipif(find_spec("ray") is None, reason="the extra `ray` is not installed"),
]
NAMES = [pytest.param(name, marks=LONG if name == "ray" else ()) for name in EXECUTORS]


def square(x):
    return x * x


def fails(x):
    raise ValueError(f"no {x}")


def dies(x):
    os._exit(x)


def wait_until_gone(pid):
    for _ in range(100):
        if not os.path.exists(f"/proc/{pid}"):
            return
        time.sleep(0.05)


@pytest.mark.parametrize("name", NAMES)
def test_results_equal_those_of_serial_and_exceptions_come_back(name):
    with make_executor(name, 2) as pool:
        bad, *futures = [pool.submit(fails, 3), *(pool.submit(square, x) for x in range(6))]
        assert [future.result() for future in futures] == [0, 1, 4, 9, 16, 25]
        with pytest.raises(ValueError, match="no 3"):
            bad.result()


@pytest.mark.parametrize("name", [name for name in NAMES if "serial" not in name.values])
def test_a_crashed_job_takes_no_other_with_it(name):
    with make_executor(name, 2) as pool:
        futures = [pool.submit(dies if x == 2 else square, x) for x in range(8)]
        outcomes = [future.exception() for future in futures]
        assert isinstance(outcomes[2], GraderFault)
        assert [o for i, o in enumerate(outcomes) if i != 2] == [None] * 7


@pytest.mark.parametrize("name", [name for name in NAMES if "serial" not in name.values])
def test_a_process_killed_between_two_jobs_costs_neither(name):
    with make_executor(name, 1) as pool:
        pid = pool.submit(os.getpid).result()
        os.kill(pid, signal.SIGKILL)
        wait_until_gone(pid)
        assert pool.submit(square, 3).result() == 9


def test_an_interrupted_batch_ends_its_processes(tmp_path):
    with contextlib.suppress(KeyboardInterrupt), make_executor("processes", 1) as pool:
        pid = pool.submit(os.getpid).result()
        waiting = pool.submit(time.sleep, 60)
        never = pool.submit((tmp_path / "flag").touch)
        raise KeyboardInterrupt
    assert not os.path.exists(f"/proc/{pid}")
    assert not (tmp_path / "flag").exists()
    assert never.cancelled()
    assert waiting.done()


def test_no_worker_outlives_its_executor():
    with make_executor("processes", 1) as pool:
        pid = pool.submit(os.getpid).result()
    wait_until_gone(pid)
    assert not os.path.exists(f"/proc/{pid}")


@pytest.mark.parametrize(
    ("name", "slots", "said"), [("slurm", 2, "no executor `slurm`"), ("serial", 0, "at least 1")]
)
def test_an_unknown_executor_and_no_slots_are_a_misuse(name, slots, said):
    with pytest.raises(UsageError, match=said):
        make_executor(name, slots)


IDLE = """
import os, signal, sys
from graders.execution.executors import make_executor

if __name__ == "__main__":
    with make_executor("processes", 2) as pool:
        print(pool.submit(os.getpid).result())
        sys.exit(3)
"""


def test_a_worker_without_a_job_ends_without_a_word(tmp_path):
    script = tmp_path / "idle.py"
    script.write_text(IDLE)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    done = subprocess.run([sys.executable, str(script)], env=environment, capture_output=True)
    assert (done.returncode, done.stderr) == (3, b"")
