"""What the command line asked for, checked against what there is."""

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import get_args

from graders.errors import Misuse
from graders.executors import make_executor
from graders.isolation import choose_tier
from graders.model import Assignment, CriterionKind
from graders.pipeline import Options
from graders.rerun import gpus_for, jobs_for, plan_rerun

DEVICES = ("auto", "cpu", "cuda")
KINDS = get_args(CriterionKind)


def choose_options(
    task: Assignment,
    *,
    data: Path | None = None,
    only: str = "",
    device: str = "auto",
    isolation: str = "auto",
) -> Options:
    """The options of a grading; raises Misuse for what this machine or assignment does not have."""
    if device not in DEVICES:
        raise Misuse(f"there is no device `{device}`", "there is `auto`, `cpu` and `cuda`")
    tier = choose_tier(isolation)
    folder = None if data is None else _folder(data)
    return Options(tier, folder, choose_criteria(task, only))


def choose_criteria(task: Assignment, only: str) -> frozenset[str] | None:
    """The criteria named by id or kind, separated by commas; None, which means all, for none."""
    wanted = frozenset(part.strip() for part in only.split(",") if part.strip())
    known = {criterion.id for criterion in task.rubric}
    for name in sorted(wanted - known - set(KINDS)):
        names = ", ".join(f"`{each.id}`" for each in task.rubric)
        raise Misuse(f"--only: there is no criterion `{name}`", f"{task.name} has {names}")
    chosen = frozenset(c.id for c in task.rubric if c.id in wanted or c.kind in wanted - known)
    if wanted and not chosen:
        kinds = ", ".join(sorted({f"`{criterion.kind}`" for criterion in task.rubric}))
        raise Misuse(f"--only: {task.name} has no criterion of these kinds", f"it has {kinds}")
    return chosen or None


def existing(path: Path, wanted: str = "a folder or an archive") -> Path:
    """The path of an upload, or of what else is wanted; Misuse where nothing is there."""
    if not path.exists():
        raise Misuse(f"{path} does not exist", f"give {wanted}")
    return path


def with_rerun(options: Options, device: str, minutes: float) -> Options:
    """The same options, with a plan for training anew; Misuse where that would take days."""
    plan = plan_rerun(data=options.data, device=device, minutes=minutes)
    return replace(options, rerun=plan)


@contextmanager
def executor_for(
    question: tuple[Assignment, Options], slots: tuple[str, int]
) -> Iterator[tuple[Executor, int]]:
    """The executor for this question, and how many submissions to hand to it at a time."""
    (task, options), (name, jobs) = question, slots
    jobs = jobs_for(options.rerun, jobs) if options.rerun else jobs
    with make_executor(name, jobs, gpus=gpus_for(options.rerun, task)) as pool:
        yield pool, 1 if name == "serial" else 2 * jobs


def _folder(path: Path) -> Path:
    if not path.is_dir():
        raise Misuse(f"{path} is not a folder", "give the folder that holds the files")
    return path
