"""One contract for all executors."""

import os
import time

import pytest

from graders.errors import GraderFault, Misuse
from graders.executors import EXECUTORS, make_executor


def square(x):
    return x * x


def fails(x):
    raise ValueError(f"no {x}")


def dies(x):
    os._exit(x)


@pytest.mark.parametrize("name", EXECUTORS)
def test_results_equal_those_of_serial(name):
    with make_executor(name, 2) as pool:
        futures = [pool.submit(square, x) for x in range(6)]
        assert [future.result() for future in futures] == [0, 1, 4, 9, 16, 25]


@pytest.mark.parametrize("name", EXECUTORS)
def test_an_exception_comes_back_in_its_future(name):
    with make_executor(name, 2) as pool:
        bad, good = pool.submit(fails, 3), pool.submit(square, 3)
        assert good.result() == 9
        with pytest.raises(ValueError, match="no 3"):
            bad.result()


@pytest.mark.parametrize("name", [name for name in EXECUTORS if name != "serial"])
def test_a_crashed_job_takes_no_other_with_it(name):
    with make_executor(name, 2) as pool:
        futures = [pool.submit(dies if x == 2 else square, x) for x in range(8)]
        outcomes = [future.exception() for future in futures]
        assert isinstance(outcomes[2], GraderFault)
        assert [o for i, o in enumerate(outcomes) if i != 2] == [None] * 7


def test_no_worker_outlives_its_executor():
    with make_executor("processes", 1) as pool:
        pid = pool.submit(os.getpid).result()
    for _ in range(100):
        if not os.path.exists(f"/proc/{pid}"):
            return
        time.sleep(0.05)
    pytest.fail("the worker process is still there")


def test_an_unknown_executor_is_a_misuse():
    with pytest.raises(Misuse, match="no executor `slurm`"):
        make_executor("slurm", 2)


def test_no_slots_is_a_misuse():
    with pytest.raises(Misuse, match="at least 1"):
        make_executor("serial", 0)
