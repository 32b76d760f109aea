"""The commands in the docs, and how they are tested: run, or parsed and not run."""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from tests.console import ROOT, blocks_of, typed_in

PAGES = sorted(
    [
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
        *(page for page in (ROOT / "docs").rglob("*.md") if page.name != "reference.md"),
    ]
)
OURS = ("python grade.py ", "softmark ")
STARTS = (*OURS, "make ", "pip ", "python ", "python3 ", "source ", "sbatch ", "mkdocs ")

SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
INDENTED = re.compile(r"^    (\S.*)$", re.MULTILINE)

NOT_RUN = {  # how a command begins or what it holds: why reading it has to do
    "make ": "installs and trains, or is the very suite that this is a part of",
    "source ": "the tests bring an environment of their own",
    "python3 -m venv": "the tests bring an environment of their own",
    "pip install": "needs the package index",
    "git clone": "the tests are in a clone",
    "sbatch ": "needs a cluster; test_docs.py reads the script",
    "--executor ray": "needs the extra; test_ray_executor.py runs it",
    "--attacks": "takes minutes; tests/attacks runs it",
    "validate cs224n-a4": "grades every planted example; .ci/run runs it",
    "--watch": "goes on until it is ended; tests of `check` run it",
    "--rerun": "trains; test_rerun.py runs it",
    "doctor --gpu": "needs a GPU; test_graph.py checks its parts on the CPU",
    "grade.py pipeline": "trains; test_grade.py runs it",
    "grade.py serve": "serves until it is ended; tests/reports/review drives it",
    "review ": "serves until it is ended; tests/reports/review drives it",
    "grade.py decide": "kinds are of one batch; tests/reports/review/test_kinds.py decides some",
    "grade.py appeal": "needs a code of a page; test_requests_command.py runs it",
    "grade.py requests": "needs such a request; test_requests_command.py runs it",
    "agreement out --again": "needs decided answers; test_second_reading.py runs it",
    "grade.py extend": "needs a due date; test_dates_and_people.py runs it",
    "grade.py late-days": "needs due dates; test_dates_and_people.py runs it",
    "grade.py merge": "needs two names of one student; test_dates_and_people.py runs it",
    "grade.py name-mistake": "writes into the assignment; tests/graders/test_failures.py runs it",
    "grade.py plant": "writes into the assignment; tests/test_requests_command.py runs it",
    "python benchmarks/": "measures for minutes",
    "mkdocs ": "serves until it is ended; test_docs_site.py builds the site",
}


@dataclass(frozen=True, slots=True)
class Named:
    """A command, the page that names it, and whether it is one to type rather than to speak of."""

    page: Path
    command: str
    typed: bool

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}: {self.command}"


def commands_in(page):
    """Every command of a page: those behind `$`, and those in its sentences."""
    text = page.read_text(encoding="utf-8")
    for block in blocks_of(text):
        for typed in typed_in(block):
            yield Named(page, without_comment(typed.command), True)
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    for words in (*SPAN.findall(prose), *INDENTED.findall(prose)):
        if words.startswith(STARTS) and not words.startswith("python -c"):
            yield Named(page, without_comment(words), False)


def without_comment(command):
    return re.sub(r"\s+#.*$", "", command).strip()


def why_not_run(command):
    """The key of NOT_RUN that this command falls under, or None."""
    return next((key for key in NOT_RUN if command.startswith(key) or key in command), None)


def words_for_softmark(command):
    """The arguments of a call of ours, or None for another program's."""
    start = next((prefix for prefix in OURS if command.startswith(prefix)), None)
    return None if start is None else shlex.split(command.removeprefix(start))
