"""Check the options of the command line against what is available."""

from dataclasses import replace
from pathlib import Path
from typing import get_args

from graders.data.declared import refuse_other_data
from graders.errors import UsageError, did_you_mean
from graders.execution.executors import JobExecutor, make_executor
from graders.execution.isolation import choose_tier
from graders.grading.options import GradingRequest, Options
from graders.grading.rerun import gpus_for, jobs_for, plan_rerun
from graders.model import Assignment, CriterionKind
from graders.registry.packages import refuse_missing
from submissions.escaping import split_names

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
    """Return a grading's options; raises UsageError for what the machine or assignment lacks."""
    if device not in DEVICES:
        raise UsageError(f"there is no device `{device}`", "choose from: `auto`, `cpu`, `cuda`")
    tier = choose_tier(isolation)
    folder = None if data is None else _folder(data)
    refuse_other_data(task, folder)
    criteria = choose_criteria(task, only)
    refuse_missing(task, criteria)
    return Options(tier, folder, criteria)


def choose_criteria(task: Assignment, only: str) -> frozenset[str] | None:
    """Return the criteria named by ID or kind, separated by commas; None (all) if none is named."""
    requested = split_names(only)
    ids = {criterion.id for criterion in task.rubric}
    for name in sorted(requested - ids - set(KINDS)):
        near = did_you_mean(name, ids | set(KINDS))
        names = ", ".join(f"`{criterion.id}`" for criterion in task.rubric)
        problem = f"--only: there is no criterion `{name}`{near}"
        raise UsageError(problem, "" if near else f"{task.name} has {names}")
    chosen = frozenset(c.id for c in task.rubric if c.id in requested or c.kind in requested - ids)
    if requested and not chosen:
        kinds = ", ".join(sorted({f"`{criterion.kind}`" for criterion in task.rubric}))
        raise UsageError(f"--only: {task.name} has no criterion of these kinds", f"it has {kinds}")
    return chosen or None


def with_rerun(options: Options, device: str, minutes: float) -> Options:
    """Return the options with a plan for retraining; raises UsageError if it would take days."""
    plan = plan_rerun(data=options.data, device=device, minutes=minutes, tier=options.tier)
    return replace(options, rerun=plan)


def executor_for(request: GradingRequest, name: str, jobs: int) -> JobExecutor:
    """Return the executor for a request."""
    rerun = request.options.rerun
    jobs = jobs_for(rerun, jobs) if rerun else jobs
    return make_executor(name, jobs, gpus=gpus_for(rerun, request.assignment))


def _folder(path: Path) -> Path:
    if not path.is_dir():
        problem = "is not a folder" if path.exists() else "does not exist"
        raise UsageError(f"{path} {problem}", "pass the folder that contains the files")
    return path
