"""Commands about assignments: validate, audit, examples, demo, new ones; and `doctor`."""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from commands.grading import RunTarget, grade_into
from commands.options import JOBS, Data, ExecutorName, Inputs, Isolation, Jobs, Name, Out
from graders.audit.attacks import Verdict, attack_all, attack_row
from graders.audit.attacks_uploads import Attack, known_attacks
from graders.audit.examples import example_names, expectation, write_examples
from graders.audit.frozen import REFERENCE, compare_frozen, freeze, read_frozen
from graders.audit.validate import examples_by_part, validate
from graders.data.demo import vary_predictions
from graders.errors import UsageError, did_you_mean
from graders.execution.doctor import examine
from graders.execution.executors import JobExecutor, make_executor
from graders.grading.choices import choose_options
from graders.grading.options import GradingRequest, Options
from graders.grading.secret import PUBLICLY, read_inputs_seed
from graders.model import Assignment
from graders.registry.discovery import assignment_names, load_assignment
from packages.skeleton import write_skeleton
from reports.audit import write_audit
from reports.terminal import audit as terminal_audit
from reports.terminal import results as terminal
from submissions.receive import identify_all


def validate_examples(
    assignment: Name,
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="EXAMPLE",
            help="Planted examples, or attacks with --attacks.",
            show_default="all",
        ),
    ] = None,
    data: Data = None,
    isolation: Isolation = "auto",
    jobs: Jobs = JOBS,
    executor: ExecutorName = "processes",
    attacks: Annotated[bool, typer.Option("--attacks", help="Grade hostile submissions.")] = False,
    freeze_to: Annotated[
        Path | None, typer.Option("--freeze", help="Write every check's verdict to this file.")
    ] = None,
    frozen: Annotated[
        Path | None, typer.Option("--frozen", help="Report verdicts that differ from this file.")
    ] = None,
    inputs: Inputs = PUBLICLY,
) -> None:
    """Validate an assignment: grade its solution and planted examples."""
    task = load_assignment(assignment)
    options = choose_options(task, data=data, isolation=isolation)
    if inputs != PUBLICLY and (frozen or freeze_to):
        raise UsageError("--freeze and --frozen use public inputs", "leave out --inputs")
    options = replace(options, inputs_seed=read_inputs_seed(inputs))
    if attacks:
        raise typer.Exit(_validate_attacks(task, options, names, executor, jobs))
    chosen = _chosen(names, example_names(task), f"example in {task.name}")
    before = read_frozen(frozen) if frozen is not None else None
    verdicts = read_frozen(freeze_to) if names and freeze_to and freeze_to.exists() else {}
    with make_executor(executor, jobs) as pool:
        validation = validate(task, options, pool, names=chosen)
        findings = list(terminal.progress_of(validation, 1 + len(chosen)))
    if before is not None:
        if names:
            before = {name: before[name] for name in before if name in {REFERENCE, *chosen}}
        findings = compare_frozen(findings, before)
    if freeze_to is not None:
        freeze(findings, freeze_to, earlier=verdicts)
    terminal.show_findings(findings)
    raise typer.Exit(int(any(finding.problems for finding in findings)))


def _validate_attacks(
    task: Assignment, options: Options, names: list[str] | None, executor: str, jobs: int
) -> int:
    """Show a verdict on each attack of these names, or on all; return 1 if one succeeded."""
    attacks = {attack.name: attack for attack in known_attacks()}
    chosen = [attacks[name] for name in _chosen(names, [*attacks], "attack")]
    with make_executor(executor, jobs) as pool:
        verdicts = _attacked(task, options, pool, chosen)
    rows = map(attack_row, verdicts)
    terminal.show_rows((row.name, row.found, row.failed) for row in rows)
    return int(any(verdict.problems for verdict in verdicts))


def _chosen(names: list[str] | None, choices: list[str], kind: str) -> list[str]:
    """Return these names, or all known ones; raises UsageError for another one."""
    for name in names or ():
        if name not in choices:
            raise UsageError(
                f"there is no {kind} with the name `{name}`{did_you_mean(name, choices)}",
                "without a name, all are graded and listed",
            )
    return list(dict.fromkeys(names or choices))


def _attacked(
    task: Assignment, options: Options, pool: JobExecutor, chosen: Sequence[Attack]
) -> list[Verdict]:
    """Return a verdict on each of these attacks, and show the progress."""
    met = attack_all(task, options, pool, chosen=chosen)
    return list(terminal.progress_of(met, 1 + len(chosen)))


def audit(
    assignment: Name,
    data: Data = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for the report and saved gradings.", show_default="out/audit/ASSIGNMENT"
        ),
    ] = None,
    minutes: Annotated[float, typer.Option(min=0, help="Time limit, without attacks.")] = 10,
    seed: Annotated[int, typer.Option(help="Seed of the sample of mutants and rewrites.")] = 0,
    mutants: Annotated[int, typer.Option(min=0, help="Number of mutants to grade.")] = 300,
    rewrites: Annotated[int, typer.Option(min=0, help="Number of rewrites to grade.")] = 60,
    repeats: Annotated[
        int, typer.Option(min=0, help="Number of secrets to grade examples with.")
    ] = 5,
    null_share: Annotated[
        float, typer.Option(min=0, max=1, help="Limit on the share that empty work earns.")
    ] = 0.1,
    attacks: Annotated[bool, typer.Option("--attacks", help="Grade hostile submissions.")] = False,
    isolation: Isolation = "auto",
    jobs: Jobs = JOBS,
    executor: ExecutorName = "processes",
) -> None:
    """Audit an assignment's checks: find mistakes that they miss and correct code that they punish.

    The exit code is 1 if it finds something that audit.toml does not record.
    """
    if find_spec("libcst") is None:
        raise UsageError("`audit` needs the package `libcst`", "pip install 'softmark[audit]'")
    # It imports libcst, which is optional.
    from graders.audit.graded import GradedCache, Grader
    from graders.audit.parts import Plan
    from graders.audit.parts import audit as run_audit

    task = load_assignment(assignment)
    options = choose_options(task, data=data, isolation=isolation)
    folder = out or Path("out") / "audit" / task.name
    plan = Plan(minutes, seed, mutants, rewrites, repeats, null_share)
    with make_executor(executor, jobs) as pool:
        grader = Grader(pool, GradedCache(folder))
        report = run_audit(GradingRequest(task, options), grader, plan, terminal.progress_of)
        if attacks:
            verdicts = _attacked(task, options, pool, known_attacks())
            report = replace(report, attacks=tuple(map(attack_row, verdicts)))
    terminal_audit.show_audit(report)
    typer.echo(f"report: {write_audit(report, folder)}")
    raise typer.Exit(int(not report.clean))


def examples(
    assignment: Name,
    write: Annotated[
        Path | None, typer.Option("--write", help="Write them into this empty folder.")
    ] = None,
) -> None:
    """List an assignment's planted examples, or write them out as folders."""
    task = load_assignment(assignment)
    if write is None:
        with tempfile.TemporaryDirectory() as work:
            folders = write_examples(task, Path(work))
            planted = [(folder.name, expectation(folder, task)) for folder in folders]
        terminal.show_rows((name, expected.why, not expected.lost) for name, expected in planted)
        return
    if write.exists() and (not write.is_dir() or any(write.iterdir())):
        raise UsageError(f"{write} is not empty", "name a folder that does not exist yet")
    typer.echo(f"{len(write_examples(task, write))} examples are in {write}")


def list_assignments(
    assignment: Annotated[
        list[str] | None, typer.Argument(metavar="ASSIGNMENT", help="such as cs224n-a4")
    ] = None,
) -> None:
    """List the assignments, or the criteria of some: points, kind and visibility."""
    tasks = [load_assignment(name) for name in assignment or assignment_names()]
    if not assignment:
        terminal.show_assignments(tasks)
    for task in tasks if assignment else ():
        terminal.show_criteria(task)


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Folder to create.")],
) -> None:
    """Create a small assignment to start from, as in the tutorial."""
    written = write_skeleton(Path(name))
    for path in written:
        typer.echo(path)
    typer.echo(f"Now edit these files and run: softmark validate {name}", err=True)


def demo(out: Out = Path("out/demo"), isolation: Isolation = "auto", jobs: Jobs = JOBS) -> None:
    """Grade the bundled example submissions with the built-in sample dataset."""
    # The examples have no checkpoints, so no review of them is necessary.
    task = load_assignment("cs224n-a4")
    task = replace(task, settings={**task.settings, "missing_checkpoints": "accept"})
    options = choose_options(task, isolation=isolation)
    folders = write_examples(task, out / "submissions")
    vary_predictions(folders, task.folder / "examples" / "plain")
    codes = []
    for part in examples_by_part(task, folders):
        request = GradingRequest(task, replace(options, only=part.only))
        target = RunTarget(out / part.name, PUBLICLY, "processes", jobs)
        codes.append(grade_into(identify_all(part.folders, task.name), request, target, alone=True))
    raise typer.Exit(max(codes))


def doctor(
    data: Data = None,
    assignment: Annotated[
        str,
        typer.Option(
            help="The assignment that uses the data.", show_default="detected from the files"
        ),
    ] = "",
    gpu: Annotated[bool, typer.Option("--gpu", help="Also train on the GPU for a moment.")] = False,
) -> None:
    """Check this machine: sandbox, torch, device, data."""
    symptoms = examine(data, assignment)
    terminal.show_rows((symptom.name, symptom.state, symptom.good) for symptom in symptoms)
    ready = next(symptom.good for symptom in symptoms if symptom.name == "isolation")
    raise typer.Exit(0 if ready and (not gpu or _gpu_works()) else 1)


def _gpu_works() -> bool:
    """Show how this machine's GPU trains, and what to report."""
    from reference.training.gpt.self_check import check_training  # imports torch
    from reference.training.precision import choose_machine

    checks = list(check_training(choose_machine("cuda")))
    terminal.show_rows((check.name, check.state, check.good) for check in checks)
    works = all(check.good for check in checks)
    if not works:
        typer.echo("Please report the lines about the GPU in an issue. Training works without it.")
    return works
