"""A batch on a Ray cluster of two nodes on this machine equals one in a single process."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from graders.boundary.tiers.sandbox import best_tier
from graders.errors import GraderFault, UsageError
from graders.execution.executors import make_executor
from graders.grading.batch import grade_all
from graders.grading.options import Options
from graders.grading.rerun import RerunPlan, gpus_for
from graders.registry.discovery import load_assignment
from submissions.receive import identify
from tests.conftest import RIGHT, append, edit

needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="no extra `ray` installed")
OPTIONS = Options(best_tier())
STORE = 80 * 2**20
SUBMISSIONS = {
    "right": {"work_py": RIGHT, "answer_txt": "42"},
    "wrong": {"work_py": "def double(x):\n    return x + 2\n", "answer_txt": "41"},
    "exits": {"work_py": "import os\n\n\ndef double(x):\n    os._exit(0)\n", "answer_txt": "42"},
    "crashes": {"work_py": "import os\n\n\ndef double(x):\n    os.abort()\n", "answer_txt": "1"},
    "raises": {"work_py": "def double(x):\n    return 1 / 0\n"},
    "nothing": {},
}


@pytest.fixture
def cluster(monkeypatch):
    """A head that grades nothing, and two nodes with one core each."""
    ray = pytest.importorskip("ray")
    utils = pytest.importorskip("ray.cluster_utils")
    folder = tempfile.TemporaryDirectory(prefix="ray")  # a short path: it holds sockets
    monkeypatch.setenv("RAY_TMPDIR", folder.name)  # nobody else finds this cluster
    quiet = {"object_store_memory": STORE, "include_dashboard": False}
    started = utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 0, **quiet})
    try:
        nodes = [started.add_node(num_cpus=1, object_store_memory=STORE) for _ in range(2)]
        monkeypatch.setenv("RAY_ADDRESS", started.address)
        yield started, nodes
    finally:
        ray.shutdown()
        with contextlib.suppress(Exception):
            started.shutdown()
        folder.cleanup()


@pytest.fixture
def uploads(hand_in, tiny):
    return [identify(hand_in(name, **files), tiny.name) for name, files in SUBMISSIONS.items()]


def plain(results):
    """What must not depend on where a submission was graded."""
    outcomes = {}
    for result in results:
        checks = [check for criterion in result.criteria for check in criterion.checks]
        rows = [(c.id, c.status, c.fraction, c.outcome, c.message) for c in checks]
        outcomes[result.submission.id] = (result.status, result.score, rows)
    return outcomes


def graded(uploads, assignment, name, jobs):
    with make_executor(name, jobs) as pool:
        return list(grade_all(uploads, assignment, OPTIONS, pool))


def dies_once(flag):
    if not Path(flag).exists():
        Path(flag).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "lived"


def raises_and_counts(log):
    with Path(log).open("a") as file:
        file.write("x")
    raise ValueError("a student's, say")


@pytest.mark.long
@needs_ray
def test_two_nodes_give_the_results_of_one_process(cluster, uploads, tiny):
    alone = plain(graded(uploads, tiny, "serial", 1))
    assert plain(graded(uploads, tiny, "ray", 2)) == alone
    assert {status for status, *_ in alone.values()} == {"graded", "rejected"}


WAITS = '''
import os
import time


@pytest.mark.criterion("answer", weight=0)
def test_waits(submitted):
    """Says where it runs, and takes its time."""
    with open("{log}", "a") as file:
        file.write(f"{{os.getpid()}}\\n")
    time.sleep(2)
'''


@pytest.mark.long
@needs_ray
def test_a_node_killed_in_mid_batch_loses_nothing(cluster, uploads, tiny_folder, tmp_path):
    started, nodes = cluster
    log = tmp_path / "log"
    append(tiny_folder / "checks.py", WAITS.format(log=log))
    tiny = load_assignment(str(tiny_folder))
    alone = plain(graded(uploads, tiny, "serial", 1))
    log.write_text("")
    results = []
    with make_executor("ray", 2) as pool:
        for result in grade_all(uploads, tiny, OPTIONS, pool):
            if not results:
                until = time.monotonic() + 60
                while len(set(log.read_text().split())) < 2 and time.monotonic() < until:
                    time.sleep(0.1)
                started.remove_node(nodes[0], allow_graceful=False)
            results.append(result)
    assert plain(results) == alone
    assert len(results) == len(uploads)


@pytest.mark.long
@needs_ray
def test_a_lost_process_is_retried_and_a_raised_error_is_not(cluster, tmp_path):
    with make_executor("ray", 2) as pool:
        assert pool.submit(dies_once, str(tmp_path / "flag")).result() == "lived"
        with pytest.raises(ValueError, match="a student's"):
            pool.submit(raises_and_counts, str(tmp_path / "log")).result()
    assert (tmp_path / "log").read_text() == "x"


def test_without_ray_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UsageError, match="Ray is not installed") as error:
        make_executor("ray", 2)
    assert "softmark[ray]" in error.value.hint


@pytest.mark.long
@needs_ray
def test_a_cluster_that_is_not_there_is_not_replaced(monkeypatch):
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    with pytest.raises(UsageError, match="cannot be joined"):
        make_executor("ray", 1)


def with_share(folder, share):
    edit(folder / "assignment.toml", "[limits]\n", f"[limits]\ngpus = {share}\n")
    return load_assignment(str(folder))


def test_a_share_of_a_gpu_is_asked_for_only_where_one_is_used(tiny_folder):
    tiny = with_share(tiny_folder, 0.25)
    assert gpus_for(None, tiny) == 0.0
    assert gpus_for(RerunPlan(60.0, gpu=False), tiny) == 0.0
    assert gpus_for(RerunPlan(60.0, gpu=True), tiny) == 0.25


@pytest.mark.parametrize("share", ["0", "-1", "2"])
def test_a_share_of_a_gpu_is_more_than_none_and_at_most_one(tiny_folder, share):
    with pytest.raises(UsageError, match="gpus"):
        with_share(tiny_folder, share)


@pytest.mark.long
@needs_ray
def test_a_job_that_kills_every_process_is_ours(cluster):
    with make_executor("ray", 2) as pool, pytest.raises(GraderFault, match="lost this job"):
        pool.submit(os._exit, 3).result()


ANOTHER = """
from graders.execution.executors import make_executor

with make_executor("ray", 1) as pool:
    print(pool.submit(abs, -1).result(), flush=True)
    input()
"""


@pytest.mark.long
@needs_ray
def test_another_grading_that_ends_takes_no_job_with_it():
    another = subprocess.Popen(
        [sys.executable, "-c", ANOTHER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert another.stdout.readline() == "1\n"
    with make_executor("ray", 1) as pool:
        assert pool.submit(abs, -2).result() == 2
        another.communicate("\n")
        assert another.returncode == 0
        assert pool.submit(abs, -3).result() == 3
