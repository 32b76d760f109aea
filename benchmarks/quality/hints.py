"""Measure how often a hint names a mistake that is not present.

    python benchmarks/quality/hints.py NAME [--pairs 150] [--seed 0] [--only code]

Grades every planted wrong example and pairs of them merged into one submission. A check that fails
then has a hint that

    correct   names a known mistake, and it is planted
    unnamed   describes only the observation
    wrong     names a known mistake that is not planted
    new       names none, in words that neither example of the pair gets on its own: read these

The mistakes of an example are those that examples.toml names. For an example that declares none,
they are those that its own hints name, so only pairs are informative. A pair is the three-way merge
of two examples that differ from the same correct submission and change the same file; pairs whose
changes overlap are left out. Checks declare the mistake that their hint names with
`fail(hint=mistake.hint)` (graders/checks/mistakes.py).
"""

import argparse
import itertools
import os
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from pathlib import Path

from graders.audit.examples import expectation, write_examples
from graders.audit.validate import checks_of
from graders.execution.executors import make_executor
from graders.grading.batch import grade_all
from graders.grading.choices import choose_criteria, choose_options
from graders.grading.options import Options
from graders.model import Assignment, Result
from graders.registry.discovery import load_assignment
from submissions.receive import identify

CODE = (".py", ".ipynb")
FAILING = ("failed", "partial")


@dataclass(frozen=True, slots=True)
class Example:
    """A planted example: its folder, its code, and its declared mistakes, if any.

    It is `judged` on some criteria.
    """

    folder: Path
    code: Mapping[Path, tuple[str, ...]]
    planted: tuple[str, ...] | None
    correct: bool
    judged: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name


@dataclass(frozen=True, slots=True)
class Verdict:
    """The hint of one failed check on a submission."""

    submission: str
    check: str
    named: str
    hint: str


@dataclass(frozen=True, slots=True)
class Pair:
    """A submission with the mistakes of two examples."""

    folder: Path
    both: tuple[Example, Example]

    @property
    def judged(self) -> frozenset[str]:
        """The criteria on which both are graded."""
        return self.both[0].judged & self.both[1].judged


def read_examples(task: Assignment, work: Path) -> list[Example]:
    """Return the examples with code, correct and incorrect, written into a folder."""
    code_criteria = {criterion.id for criterion in task.rubric if criterion.kind == "code"}
    examples = []
    for folder in write_examples(task, work):
        expected = expectation(folder, task)
        correct = not expected.lost
        files = (path for path in sorted(folder.rglob("*")) if path.suffix in CODE)
        code = {
            path.relative_to(folder): tuple(path.read_text("utf-8").splitlines(keepends=True))
            for path in files
        }
        if code and (
            correct or expected.mistakes is not None or code_criteria & expected.lost.keys()
        ):
            planted = None if expected.mistakes is None else tuple(expected.mistakes)
            judged = choose_criteria(task, expected.only) or {
                criterion.id for criterion in task.rubric
            }
            examples.append(Example(folder, code, planted, correct, frozenset(judged)))
    return examples


def distance(one: Example, other: Example) -> int:
    """Return the number of lines of code in which two examples differ."""
    return sum(
        a_stop - a_start + b_stop - b_start
        for path in one.code.keys() | other.code.keys()
        for tag, a_start, a_stop, b_start, b_stop in changes(
            one.code.get(path, ()), other.code.get(path, ())
        )
    )


def changes(base: Sequence[str], other: Sequence[str]) -> list[tuple[str, int, int, int, int]]:
    """Return the blocks of lines in which a text differs from its base."""
    codes = SequenceMatcher(None, base, other, autojunk=False).get_opcodes()
    return [code for code in codes if code[0] != "equal"]


def merged(base: Sequence[str], one: Sequence[str], other: Sequence[str]) -> list[str] | None:
    """Return the base with the changes of both texts, or None if their changes overlap."""
    edits = [
        (start, stop, tuple(text[new_start:new_stop]))
        for text in (one, other)
        for _, start, stop, new_start, new_stop in changes(base, text)
    ]
    edits = sorted(set(edits))
    for (start, stop, _), (next_start, _, _) in itertools.pairwise(edits):
        if next_start < stop or next_start == start:
            return None
    result = list(base)
    for start, stop, lines in reversed(edits):
        result[start:stop] = lines
    return result


def compose(base: Example, one: Example, other: Example) -> dict[Path, list[str]] | None:
    """Return the code with the mistakes of both examples, or None if that is impossible."""
    shared = [
        path
        for path in one.code.keys() & other.code.keys() & base.code.keys()
        if base.code[path] not in (one.code[path], other.code[path])
    ]
    if not shared or one.code.keys() != other.code.keys():
        return None
    code = {}
    for path in one.code:
        lines = merged(base.code.get(path, ()), one.code[path], other.code[path])
        if lines is None:
            return None
        code[path] = lines
    return code


def pairs(examples: Sequence[Example], count: int, seed: int, into: Path) -> Iterator[Pair]:
    """Yield a seeded sample of composed pairs, written as submissions into a folder."""
    correct = [example for example in examples if example.correct]
    wrong = [example for example in examples if not example.correct]
    bases = {
        example.name: min(correct, key=lambda base: distance(example, base)) for example in wrong
    }
    both = list(itertools.combinations(wrong, 2))
    random.Random(seed).shuffle(both)
    for one, other in both:
        if count == 0:
            return
        base = bases[one.name]
        alike = base is bases[other.name] and one.judged & other.judged
        code = compose(base, one, other) if alike else None
        if code is None:
            continue
        folder = into / f"{one.name}+{other.name}"
        shutil.copytree(one.folder, folder)
        for path, lines in code.items():
            (folder / path).write_text("".join(lines), encoding="utf-8")
        count -= 1
        yield Pair(folder, (one, other))


@dataclass(frozen=True, slots=True)
class Expectation:
    """The mistakes that the hints of a submission may name, and their words (None: any words)."""

    mistakes: frozenset[str]
    words: frozenset[str] | None = None


def expected_alone(example: Example, failing: Iterable[Verdict]) -> Expectation:
    """Return what a single example's hints may say: what it declares, or else what they do say."""
    if example.planted is not None:
        return Expectation(frozenset(example.planted))
    named = (part for verdict in failing for part in verdict.named.split("+") if part)
    return Expectation(frozenset(named), frozenset(verdict.hint for verdict in failing))


def expected_together(one: Expectation, other: Expectation) -> Expectation:
    """Return what the hints of a pair may say."""
    words = None if one.words is None or other.words is None else one.words | other.words
    return Expectation(one.mistakes | other.mistakes, words)


def verdicts(result: Result, judged: Container[str]) -> Iterator[Verdict]:
    """Yield the hints of a submission's failed checks in some criteria."""
    name = result.submission.path.name
    for check_result in checks_of(result):
        if check_result.status in FAILING and check_result.check.criterion in judged:
            yield Verdict(name, check_result.id, check_result.mistake, check_result.hint)


def kind(verdict: Verdict, expected: Expectation) -> str:
    """Return whether a hint names a planted mistake."""
    if verdict.named:
        return "correct" if {*verdict.named.split("+")} <= expected.mistakes else "wrong"
    return "unnamed" if expected.words is None or verdict.hint in expected.words else "new"


def report(
    title: str, failing: Sequence[Verdict], expected: Mapping[str, Expectation]
) -> Iterator[str]:
    """Yield the frequencies of the kinds, and the wrong and the new hints."""
    kinds = [kind(verdict, expected[verdict.submission]) for verdict in failing]
    submissions = len({verdict.submission for verdict in failing})
    yield f"{title}: {len(failing)} failing checks of {submissions} submissions"
    for name, count in Counter({"correct": 0, "unnamed": 0, "wrong": 0} | Counter(kinds)).items():
        share = count / len(failing) if failing else 0.0
        yield f"  {name:8}{count:5}  {share:6.1%}"
    for verdict, name in zip(failing, kinds, strict=True):
        if name in ("wrong", "new"):
            named = f"names `{verdict.named}`" if verdict.named else "says"
            yield f"  {name}: {verdict.submission}: {verdict.check} {named}: {verdict.hint}"


def graded(
    task: Assignment, options: Options, submissions: Sequence[Example | Pair], jobs: int
) -> dict[str, list[Verdict]]:
    """Return the hints of these submissions, by the submission's name."""
    judged = {submission.folder.name: submission.judged for submission in submissions}
    submitted = [identify(submission.folder, task.name) for submission in submissions]
    with make_executor("processes", jobs) as pool:
        results = grade_all(submitted, task, options, pool)
        named = ((result.submission.path.name, result) for result in results)
        return {name: [*verdicts(result, judged[name])] for name, result in named}


def main() -> None:
    """Grade the examples and the pairs, and print what their hints say."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", help="the assignment")
    parser.add_argument("--pairs", type=int, default=150, help="how many pairs to compose")
    parser.add_argument("--seed", type=int, default=0, help="seeds the choice of pairs")
    parser.add_argument("--only", default="code", help="criteria or kinds, as for `run`")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    task = load_assignment(arguments.name)
    options = choose_options(task)
    options = replace(options, only=choose_criteria(task, arguments.only))
    with tempfile.TemporaryDirectory(prefix="softmark-hints-") as work:
        examples = read_examples(task, Path(work) / "examples")
        composed = list(pairs(examples, arguments.pairs, arguments.seed, Path(work) / "pairs"))
        paired = {example.name for pair in composed for example in pair.both}
        single = [
            example
            for example in examples
            if not example.correct and (example.planted is not None or example.name in paired)
        ]
        alone = graded(task, options, single, arguments.jobs)
        expected = {
            example.name: expected_alone(example, alone[example.name]) for example in single
        }
        declared = [example.name for example in single if example.planted is not None]
        hints = [verdict for name in declared for verdict in alone[name]]
        print(*report(f"{len(declared)} single mistakes", hints, expected), sep="\n", flush=True)
        together = graded(task, options, composed, arguments.jobs)
    for pair in composed:
        one, other = (expected[example.name] for example in pair.both)
        expected[pair.folder.name] = expected_together(one, other)
    hints = [verdict for verdicts in together.values() for verdict in verdicts]
    print(*report(f"{len(composed)} pairs", hints, expected), sep="\n")


if __name__ == "__main__":
    main()
