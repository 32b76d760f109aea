"""Results on stdout for a program to read: one line of JSON each, and nothing else there."""

import json
import sys
from collections.abc import Collection, Iterable

from graders.model import Result
from graders.storage.store import result_to_json
from reports.terminal.results import OUT


def print_result(result: Result) -> None:
    """One Result of schema softmark/result/v1, on one line."""
    # ASCII alone: no terminal is told anything, and no locale is asked.
    sys.stdout.write(json.dumps(result_to_json(result), ensure_ascii=True) + "\n")
    sys.stdout.flush()


def print_results(results: Iterable[Result], named: Collection[str]) -> None:
    """The Results of the submissions named, each on a line of its own, read once and let go."""
    for result in results:
        if result.submission.id in named:
            print_result(result)


def keep_stdout_for_results() -> None:
    """Say nothing else on stdout from here on; progress and faults are on stderr anyway."""
    OUT.quiet = True
