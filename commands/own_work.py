"""Commands with which students check their own work: all that a student's bundle has."""

import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from commands.console import run
from commands.options import Data, Json, Name, Only, OwnIsolation, existing
from graders.boundary.tiers.sandbox import start_ahead
from graders.errors import UsageError, UserError, did_you_mean
from graders.execution.isolation import choose_tier
from graders.model import Assignment
from graders.registry.contents import own_assignment
from graders.registry.discovery import assignment_names, load_assignment
from graders.registry.packages import refuse_missing
from graders.storage.files import write_whole
from submissions.receive import identify

Verbose = Annotated[bool, typer.Option("--verbose", help="Show every check with a message.")]
Watch = Annotated[bool, typer.Option("--watch", help="Check again whenever a file changes.")]


def check(
    submission: Annotated[Path, typer.Argument(help="The folder or archive with your work.")],
    assignment: Annotated[
        str, typer.Option(help="The assignment.", show_default="detected from the files")
    ] = "",
    data: Data = None,
    only: Only = "",
    isolation: OwnIsolation = "auto",
    watch: Watch = False,
    verbose: Verbose = False,
    json: Json = False,
) -> None:
    """Check your own work before you submit it (visible criteria only)."""
    upload = existing(submission)
    task = load_assignment(assignment) if assignment else own_assignment(upload)
    tier = choose_tier(isolation, refuse_none=False)
    start_ahead(tier, task.preload)
    # Imported now, while the warm parent imports torch.
    from graders.grading.choices import choose_criteria
    from graders.grading.pipeline import grade_submission
    from graders.grading.precheck import missing_parts, precheck_options, visible_part
    from reports.terminal import check as terminal_check
    from reports.terminal import json_lines as terminal_json
    from reports.terminal import results as terminal_results

    chosen = choose_criteria(visible_part(task), only)
    refuse_missing(task, chosen)

    def once() -> int:
        """Check the submission's present state; return the exit code."""
        work = identify(existing(submission), task.name)
        plan = precheck_options(task, work.path, tier, data=data, only=chosen)
        with terminal_results.checking(task.limits.total_seconds):
            result = grade_submission(work, task, plan.options)
        if json:
            terminal_json.print_result(result)
        else:
            unseen = terminal_check.Unseen(missing_parts(task, plan, result), plan.not_graded)
            terminal_check.show_check(result, unseen, verbose=verbose)
        return int(plan.failed_to_grade(result))

    raise typer.Exit(_watched(once, upload, task) if watch else once())


def _watched(once: Callable[[], int], upload: Path, task: Assignment) -> int:
    """Check now and after every change until interrupted; return the last check's exit code."""
    # Only this command imports the watcher.
    from graders.registry.watching import changes
    from reports.terminal import results as terminal

    # Ctrl-C is the only way to end it, so it must work even if the shell ignored the signal.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    code = 0
    try:
        for _ in changes(upload, task.files):
            terminal.clear()
            try:
                code = once()
            except UserError as error:  # a file that is missing for a moment
                terminal.show_misuse(str(error), error.hint)
                code = 2
            terminal.show_waiting()
    except KeyboardInterrupt:
        pass
    return code


def answers_template(
    assignment: Name,
    form: Annotated[str, typer.Option("--format", help="md or yaml.", show_default="md")] = "",
    output: Annotated[
        Path | None, typer.Option(help="The file to write.", show_default="stdout")
    ] = None,
) -> None:
    """Write an empty answers file with every written question."""
    from graders.written.template import template_of

    text = template_of(load_assignment(assignment), form, output)
    if output is None:
        typer.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")


def appeal(
    code: Annotated[str, typer.Argument(help="The request code at the end of your page.")],
    criterion: Annotated[str, typer.Argument(help="The criterion, such as rotary.")],
    reason: Annotated[str, typer.Option(help="What is wrong.", prompt=True)],
    attach: Annotated[Path | None, typer.Option(help="A file to attach.")] = None,
    output: Annotated[Path, typer.Option("-o", "--output", help="The file to write.")] = Path(
        "appeal.json"
    ),
) -> None:
    """Write a regrade request to send to your course staff."""
    from reports.review.requests import request_text
    from reports.terminal.results import OUT, show_warning

    text = request_text(code, criterion, reason, attach)
    names = assignment_names()
    near = _near_miss(criterion, [load_assignment(name) for name in names])
    if near and len(names) == 1:  # a student's bundle
        raise UsageError(
            near,
            "the end of your page lists them; if it lists this one, send code, criterion and "
            "reason as a plain text",
        )
    if output.exists():
        raise UsageError(f"{output} exists", "choose another file with -o")
    write_whole(output, text.encode(), remedy="choose another file with -o")
    OUT.print(f"{output} is written: send it to your course staff", soft_wrap=True)
    if near:
        show_warning(f"{near} Ignore this if your page lists it.")


def _near_miss(criterion: str, tasks: Sequence[Assignment]) -> str:
    """Return a sentence about a name that is nearly that of a criterion, or else nothing.

    Another name may be that of a criterion that students' bundles lack.
    """
    from reports.review.requests import names_of

    named = {key: name for task in tasks for key, name in names_of(task.rubric).items()}
    known = criterion.strip().casefold() in named
    near = "" if known else did_you_mean(criterion, set(named.values()))
    return f"there is no criterion `{criterion}`{near}" if near.endswith("?") else ""


bundle = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Check your own work before you submit it.",
)
bundle.command("check")(check)
bundle.command("answers-template")(answers_template)
bundle.command("appeal")(appeal)


def main() -> None:
    """Run the console script of a student's bundle."""
    run(bundle, after_fault="it is not your fault; run the command again")


if __name__ == "__main__":
    main()
