"""Grade a large course end to end: throughput and memory from the first hundred to the last.

    python benchmarks/scale.py [--count 2000] [--jobs 2] [--only code] [--ray]

Generated submissions, no two of them equal, are graded by `grade.py batch`, which also writes every
page. In the middle it is killed (SIGKILL) and started again. With --ray, two nodes of a cluster on
this machine grade, and one of them is killed instead. One row is printed per hundred submissions:
their time, their processor time (as in batch.py), and the median memory of all processes (PSS),
student code included. The last rows are the start, the pages, and what had to be graded twice.
"""

import argparse
import contextlib
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from support.batch_submissions import generate
from support.processor_time import counter

from graders.boundary.limits import usage

ROOT = Path(__file__).resolve().parents[1]
EVERY = 100
PAUSE = 1.0
STORE = 80 * 2**20  # bytes for a Ray node's objects


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="code")
    parser.add_argument("--ray", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="softmark-scale-") as folder:
        uploads, out = Path(folder, "uploads"), Path(folder, "out")
        uploads.mkdir()
        for number, upload in enumerate(generate(uploads, arguments.count)):
            with (upload / "src" / "dataset.py").open("a", encoding="utf-8") as code:
                code.write(f"\n# submission {number}\n")
        words = [sys.executable, str(ROOT / "grade.py"), "batch", "cs224n-a4", str(uploads)]
        words += [f"--out={out}", f"--jobs={arguments.jobs}", f"--only={arguments.only}"]
        with counter() as used, _cluster(enabled=arguments.ray) as lose_a_node:
            words += ["--executor=ray"] if lose_a_node else []
            _watch(words, out, arguments.count, used, lose_a_node)
        pages = sum(1 for _ in out.rglob("*.html"))
        size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    print(f"{pages} pages, {size / 2**20:.0f} MiB in the results folder")


@contextlib.contextmanager
def _cluster(*, enabled: bool) -> Iterator[Callable[[], None] | None]:
    """Start a head that grades nothing and two nodes; yield a function that kills one of them."""
    if not enabled:
        yield None
        return
    from ray.cluster_utils import Cluster

    quiet = {"object_store_memory": STORE, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, **quiet})
    nodes = [cluster.add_node(num_cpus=1, object_store_memory=STORE) for _ in range(2)]
    os.environ["RAY_ADDRESS"] = cluster.address
    try:
        yield lambda: cluster.remove_node(nodes[1], allow_graceful=False)
    finally:
        cluster.shutdown()  # type: ignore[no-untyped-call]


def _watch(
    words: list[str],
    out: Path,
    count: int,
    used: Callable[[], float],
    lose_a_node: Callable[[], None] | None,
) -> None:
    """Run the command, disturb it once in the middle, and print a row per hundred submissions."""
    print(f"{'graded':>8}{'s':>8}{'CPU s each':>12}{'MiB':>8}", flush=True)
    process = _start(words)
    row_time, row_cpu, row_done, sizes = time.monotonic(), used(), 0, [0.0]
    is_whole = True
    while process.poll() is None:
        time.sleep(PAUSE)
        done = _graded(out)
        sizes.append(usage.measure_memory(process.pid, enough=0) / 2**20)
        if done >= count // 2 and is_whole:
            is_whole = False
            if lose_a_node:
                lose_a_node()
                print("(one node killed)")
            else:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                print(f"(killed with {done} graded; {_graded(out)} results are kept)")
                process = _start(words)
        if done - row_done >= EVERY or (done == count and done > row_done):
            now, cpu = time.monotonic(), used()
            cost = (cpu - row_cpu) / (done - row_done)
            print(f"{done:8}{now - row_time:8.0f}{cost:12.2f}{statistics.median(sizes):8.0f}")
            sys.stdout.flush()
            row_time, row_cpu, row_done, sizes = now, cpu, done, [0.0]
    seconds, cpu = time.monotonic() - row_time, used() - row_cpu
    print(f"after the last row, with all pages: {seconds:.0f} s, {cpu:.0f} CPU s")
    print(f"exit code {process.returncode}")


def _start(words: list[str]) -> subprocess.Popen[bytes]:
    """Start the command in its own process group, so that a kill reaches its workers."""
    return subprocess.Popen(words, stdout=subprocess.DEVNULL, start_new_session=True)


def _graded(out: Path) -> int:
    results = out / "results"
    return sum(1 for _ in os.scandir(results)) if results.is_dir() else 0


if __name__ == "__main__":
    main()
