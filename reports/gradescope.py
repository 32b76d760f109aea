"""The Result for Gradescope: `DIR/gradescope/<submission>.json`, in the form of results.json.

One test a criterion, its checks in words in the output. Keys, types and status words are those
that gradescope-utils writes. `max_score` is on every test, whatever could be graded. Gradescope
adds up the tests' scores where the file names no total, so a Result without a score publishes
none at all: what is decided so far stands in the outputs, in words.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from graders.model import CheckResult, CriterionResult, Result
from graders.store import submission_file, write_text
from reports.provisional import provisional
from reports.text import line, number, prose
from reports.words import STATUS_SENTENCES, check_word, intake_notes

Json = dict[str, object]


def write_gradescope(result: Result, out: Path) -> Path:
    """Write `out/gradescope/<submission>.json` and return its path."""
    path = submission_file(out, "gradescope", result.submission.id, ".json")
    return write_text(path, json.dumps(gradescope_json(result), indent=2) + "\n")


def gradescope_json(result: Result) -> Json:
    """The document Gradescope reads as results.json."""
    document: Json = {
        "tests": [_test(i, c, result) for i, c in enumerate(result.criteria, 1)],
        "leaderboard": [],
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "execution_time": f"{result.seconds:.2f}",
    }
    if result.score is not None:
        document["score"] = result.score
    if output := "\n".join(_about(result)):
        document["output"] = output
    return document


def _about(result: Result) -> Iterator[str]:
    if result.status != "graded":
        yield STATUS_SENTENCES[result.status]
    yield from map(prose, intake_notes(result))


def _test(index: int, graded: CriterionResult, result: Result) -> Json:
    criterion = graded.criterion
    test: Json = {"name": line(criterion.title)}
    if result.score is not None and graded.points is not None:
        test["score"] = graded.points
        lost = graded.points < criterion.points or graded.status == "failed"
        test["status"] = "failed" if lost else "passed"
    return test | {
        "max_score": criterion.points,
        "output": "\n".join(_output(graded, result)),
        "visibility": criterion.visibility,
        "number": str(index),
    }


def _output(graded: CriterionResult, result: Result) -> Iterator[str]:
    most = number(graded.criterion.points)
    if result.status == "rejected":
        yield STATUS_SENTENCES["rejected"]
        return
    if graded.points is None:
        sure = provisional(graded).earned
        certain = f" So far: {number(sure)}." if sure else ""
        yield f"Not decided yet: this costs you nothing. It is worth {most} points.{certain}"
    elif result.score is None:
        yield f"{number(graded.points)} of {most} points, counted once everything is graded."
    for found in graded.checks:
        yield "\n".join(_check_lines(found))


def _check_lines(found: CheckResult) -> Iterator[str]:
    yield f"[{check_word(found)}] {prose(found.check.description)}"
    parts = (("", found.message), ("hint: ", found.hint), ("expected: ", found.expected))
    for label, text in (*parts, ("got: ", found.actual), *_labelled(found)):
        if text:
            yield "    " + f"{label}{prose(text)}".replace("\n", "\n    ")


def _labelled(found: CheckResult) -> Iterator[tuple[str, str]]:
    return ((f"{line(label)}: ", value) for label, value in found.counterexample)
