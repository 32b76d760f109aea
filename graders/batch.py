"""Grade many submissions; each Result is handed over as soon as it is there."""

from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait

from graders.errors import GraderFault, Misuse
from graders.model import Assignment, Result, Submission
from graders.pipeline import Options, excused, grade_submission


def grade_all(
    submissions: Sequence[Submission],
    assignment: Assignment,
    options: Options,
    executor: Executor,
    *,
    ahead: int = 1,
) -> Iterator[Result]:
    """Results in the order in which they finish; one a submission, whatever happens to it.

    At most `ahead` submissions are handed to the executor at a time, so that the first Result is
    not held back by the last submission.
    """
    waiting = iter(submissions)
    running: dict[Future[Result], Submission] = {}
    while True:
        while len(running) < ahead and (submission := next(waiting, None)) is not None:
            job = executor.submit(grade_submission, submission, assignment, options)
            running[job] = submission
        if not running:
            return
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            yield _result(future, running.pop(future), assignment, options)


def _result(
    future: Future[Result], submission: Submission, assignment: Assignment, options: Options
) -> Result:
    try:
        return future.result()
    except Misuse:
        raise
    except Exception as error:  # noqa: BLE001  a lost job is ours: the submission stays ungraded
        return excused(submission, assignment, options, GraderFault(str(error)))
