"""Print results to stdout for other programs: one line of JSON each, and nothing else."""

import json
import sys
from collections.abc import Collection, Iterable

from graders.model import Result
from graders.storage.result_json import result_to_json
from reports.terminal.results import OUT


def print_result(result: Result) -> None:
    """Print one Result of schema softmark/result/v1 on one line."""
    # ASCII only: no terminal obeys it, and the locale doesn't matter.
    sys.stdout.write(json.dumps(result_to_json(result), ensure_ascii=True) + "\n")
    sys.stdout.flush()


def print_results(results: Iterable[Result], named: Collection[str]) -> None:
    """Print the Results of the named submissions, one per line; each is read once and discarded."""
    for result in results:
        if result.submission.id in named:
            print_result(result)


def keep_stdout_for_results() -> None:
    """Print nothing else to stdout from here on; progress and errors go to stderr anyway."""
    OUT.quiet = True
