"""Measure grading in Gradescope's container: memory, processor time, time at half a processor.

    python benchmarks/gradescope.py [ASSIGNMENT...] [--container 0.5] [--tier auto] [--limit]
    python benchmarks/gradescope.py cs224n-a4 --limit --data birthplaces/

For each assignment, a package is built, and its run_autograder grades the assignment's own solution
in a container with Docker's default permissions (tests/packages/container.py) and its own control
group. The group measures all processes together; `--limit` also restricts them to the container's
memory and processors. With `--data` (of cs224n-a4) the submission also has three
invented checkpoints of the course's size and predictions for the course's questions. Needs root
and control groups of version 1.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE))

from graders.audit.validate import build_solution  # noqa: E402
from graders.registry.discovery import assignment_names, load_assignment  # noqa: E402
from tests.packages.container import LANDLOCK, Container, lay_out  # noqa: E402

GROUPS = Path("/sys/fs/cgroup")
PERIOD = 100_000  # microseconds
SIZES = {"0.5": (0.5, 768), "1": (1.0, 1536), "2": (2.0, 3072), "4": (4.0, 6144)}


@contextmanager
def group(limits: tuple[float, int] | None) -> Iterator[list[Path]]:
    """Yield the memory and processor control groups for this process and all that it starts."""
    groups = [GROUPS / kind / f"softmark-{os.getpid()}" for kind in ("memory", "cpu", "cpuacct")]
    for folder in groups:
        folder.mkdir()
    if limits is not None:
        (groups[0] / "memory.limit_in_bytes").write_text(str(limits[1] * 2**20))
        (groups[1] / "cpu.cfs_period_us").write_text(str(PERIOD))
        (groups[1] / "cpu.cfs_quota_us").write_text(str(int(limits[0] * PERIOD)))
    for folder in groups:
        (folder / "cgroup.procs").write_text(str(os.getpid()))
    try:
        yield groups
    finally:
        for folder in groups:
            (folder.parent / "cgroup.procs").write_text(str(os.getpid()))
            _remove(folder)


@contextmanager
def sampled(memory: Path) -> Iterator[list[int]]:
    """Yield a list with the peak of bytes in use, without cached files.

    It is sampled ten times a second.
    """
    most, over = [0], threading.Event()

    def look() -> None:
        while not over.wait(0.1):
            lines = (memory / "memory.stat").read_text().splitlines()
            fields = dict(line.split() for line in lines)
            most[0] = max(most[0], int(fields["total_rss"]) + int(fields.get("total_shmem", 0)))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield most
    finally:
        over.set()
        thread.join()


def _remove(folder: Path) -> None:
    for _ in range(100):
        try:
            folder.rmdir()
            return
        except OSError:
            time.sleep(0.1)


def add_course_work(folder: Path, data: Path) -> None:
    """Add checkpoints of the course's size and predictions of its length to a submission."""
    import torch

    from reference.models.gpt import GPT, GPTConfig

    names = ("vanilla.model.params", "vanilla.finetune.params", "rope.finetune.params")
    for seed, name in enumerate(names):
        torch.manual_seed(seed)
        model = GPT(GPTConfig(256, 128, 4, 8, 256, 0, 0, 0, name.startswith("rope")))
        with torch.no_grad():
            for weights in model.parameters():  # as if trained: untrained models are not evaluated
                weights.add_(torch.randn_like(weights), alpha=0.05)
        torch.save(model.state_dict(), folder / name)
    places = (data / "birth_places_train.tsv").read_text(encoding="utf-8").split("\n")
    for part, questions in (("dev", "birth_dev.tsv"), ("test", "birth_test_inputs.tsv")):
        count = len((data / questions).read_text(encoding="utf-8").splitlines())
        predictions = "".join(f"{line.split(chr(9))[-1]}\n" for line in places[:count])
        for model_name in ("vanilla.nopretrain", "vanilla.pretrain", "rope.pretrain"):
            (folder / f"{model_name}.{part}.predictions").write_text(predictions, encoding="utf-8")


def measure(name: str, arguments: argparse.Namespace, work: Path) -> str:
    """Return the assignment's row of the table."""
    root = work / name
    root.mkdir()
    package = work / f"{name}.zip"
    command = ["package", "gradescope", name, "-o", str(package)]
    command += ["--isolation", arguments.tier]
    if arguments.data:
        command += ["--data", str(arguments.data)]
    subprocess.run(
        [sys.executable, "grade.py", *command, "--container", arguments.container],
        cwd=HERE,
        check=True,
        capture_output=True,
    )
    lay_out(package, root)
    task = load_assignment(name)
    solution = build_solution(task, work / f"{name}-solution")
    if arguments.data:
        with ProcessPoolExecutor(1) as pool:  # torch is not imported in the measured process
            pool.submit(add_course_work, solution, arguments.data).result()
    shutil.copytree(solution, root / "autograder/submission", dirs_exist_ok=True)
    denied = LANDLOCK if arguments.tier == "none" else ()
    return _graded(name, Container(root, docker=True, denied=denied), arguments)


def _graded(name: str, container: Container, arguments: argparse.Namespace) -> str:
    cpus, _ = size = SIZES[arguments.container]
    with group(size if arguments.limit else None) as (memory, _cpu, counted):
        started = time.monotonic()
        with sampled(memory) as most:
            document, _ = container.grade(timeout=900)
        wall = time.monotonic() - started
        peak = int((memory / "memory.max_usage_in_bytes").read_text()) / 2**20
        cpu = int((counted / "cpuacct.usage").read_text()) / 1e9
    print(json.dumps(document, indent=1), file=sys.stderr)
    details = document.get("extra_data", {}).get("softmark", {})
    how = f"{details.get('isolation', 'failed')} | {details.get('status', 'failed')}"
    used = f"{peak:.0f} | {most[0] / 2**20:.0f} | {cpu:.1f} | {cpu / cpus:.0f} | {wall:.0f}"
    return f"| {name} | {how} | {used} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("assignments", nargs="*", default=assignment_names())
    parser.add_argument("--container", default="0.5", choices=SIZES)
    parser.add_argument("--tier", default="auto", choices=("auto", "none"))
    parser.add_argument("--limit", action="store_true")
    parser.add_argument("--data", type=Path)
    arguments = parser.parse_args()
    print("| assignment | tier | status | peak MiB | not files | CPU s | s at its share | s here |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="softmark-gradescope-") as work:
        Path(work).chmod(0o755)
        for name in arguments.assignments:
            print(measure(name, arguments, Path(work)), flush=True)


if __name__ == "__main__":
    main()
