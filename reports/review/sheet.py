"""Export all answers and decisions as one CSV for a spreadsheet, and import it again.

One row per answer. The import reads question, answer, answer_sum, seen, items, adjustment and
comment; the other columns describe the current state. `items` contains the numbers of the rubric
items that apply (`1 3`), `none` if none applies, or nothing if the answer is undecided.

A sheet for a second reading contains some decided answers in random order, without the decisions;
its `seen` is `blind`. Its import stores every row, even if it agrees with the first decision.
"""

import csv
import io
import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from graders.course.review import Answer
from graders.storage.csv_cells import SAVE_IT, plain_cell, table
from graders.written.decisions import Decision
from graders.written.free_text.manual import is_confirmation
from graders.written.question import Review
from reports.review.verdicts import (
    NONE,
    Mistyped,
    Verdict,
    make_decision,
    read_verdict,
    same_rubric,
    verdict_of,
)
from reports.review.web.site import Site
from reports.text import number

READ = ("question", "answer", "answer_sum", "seen", "items", "adjustment", "comment")
COLUMNS = (*READ, "state", "points", "reviewer", "decided_at", "submission", "text")
CELL_LIMIT = 30_000  # a spreadsheet's cell can contain 32,767 characters
PROBLEMS_SHOWN = 100
BLIND = "blind"


@dataclass(frozen=True, slots=True)
class Problem:
    """A line of a CSV that cannot be imported, and the reason."""

    line: int
    why: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """The changes in a sheet; none of them are applied if there is a problem."""

    decisions: tuple[Decision, ...] = ()
    unchanged: int = 0
    blind: bool = False  # True if the reader had not seen the earlier decisions
    problems: tuple[Problem, ...] = ()


class _Wrong(Exception):
    """The reason why one row cannot be imported."""


def write_sheet(site: Site, *, names: bool) -> str:
    """Return the sheet as text; submissions are named if the reviewer sees names."""
    entries = (
        _cells(site, question, answer, names=names)
        for question in site.review.material.answers
        for answer in site.answers(question).values()
    )
    rows = ([cells[name] for name in COLUMNS] for cells in entries)
    return table([COLUMNS, *rows], end="\r\n")


def write_blind_sheet(site: Site, count: int) -> tuple[str, int]:
    """Return a sheet of up to this many decided answers for a second reading, and their number.

    Answers that several people have read are not among them, nor are checks of code, which
    `decide` may have confirmed by the hundred.
    """
    material = site.review.material
    decided = [
        (question, answer)
        for question in material.answers
        if not is_confirmation(material.questions[question])
        for answer in site.answers(question).values()
        if len({decision.reviewer for decision in site.review.standing(answer).open}) == 1
    ]
    chosen = random.sample(decided, min(count, len(decided)))
    cells = (
        {"question": question, "answer": answer.handle, "answer_sum": f"sha256:{answer.sum}"}
        | {"seen": BLIND, "text": _printable(answer.text[:CELL_LIMIT])}
        for question, answer in chosen
    )
    columns = (*READ, "text")
    rows = ([cell.get(name, "") for name in columns] for cell in cells)
    return table([columns, *rows], end="\r\n"), len(chosen)


def read_sheet(site: Site, content: bytes, reviewer: str) -> Sheet:
    """Return the checked decisions of a sheet, or one problem for each invalid line."""
    try:
        rows = list(_rows(content))
    except (csv.Error, _Wrong) as error:
        return Sheet(problems=(Problem(1, str(error)),))
    blind = {row["seen"].strip() == BLIND for _, row in rows}
    if len(blind) > 1:
        return Sheet(problems=(Problem(1, f"`seen` must be `{BLIND}` in all rows or in none"),))
    by_answer: dict[tuple[str, str], Decision | None] = {}
    problems = []
    for line, row in rows:
        try:
            key = row["question"], row["answer"]
            if key in by_answer:
                raise _Wrong("this answer appears twice in the sheet")
            by_answer[key] = _decision(site, row, reviewer)
        except (_Wrong, Mistyped) as error:
            problems.append(Problem(line, str(error)))
    decisions = tuple(decision for decision in by_answer.values() if decision is not None)
    if problems:
        return Sheet(problems=tuple(problems[:PROBLEMS_SHOWN]))
    return Sheet(decisions, len(by_answer) - len(decisions), True in blind)


def _cells(site: Site, question: str, answer: Answer, *, names: bool) -> Mapping[str, str]:
    _, rubric = site.question(question)
    standing = site.review.standing(answer)
    holds = standing.holds
    verdict = verdict_of(holds, rubric) if holds else None
    return {
        "question": question,
        "answer": answer.handle,
        "answer_sum": f"sha256:{answer.sum}",
        "seen": str(standing.newest),
        "items": _items(verdict),
        "adjustment": number(verdict.adjustment) if verdict and verdict.adjustment else "",
        "comment": verdict.comment if verdict else "",
        "state": standing.state,
        "points": number(answer.points_of(holds)) if holds else "",
        "reviewer": holds.reviewer if holds else "",
        "decided_at": holds.decided_at if holds else "",
        "submission": answer.submission if names else "",
        "text": _printable(answer.text[:CELL_LIMIT]),
    }


def _printable(text: str) -> str:
    # Not \x00 or an escape sequence: some CSV readers stop there, and terminals obey it.
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", text)


def _items(verdict: Verdict | None) -> str:
    if verdict is None:
        return ""
    return " ".join(map(str, sorted(verdict.items))) or NONE


def _rows(content: bytes) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Yield the rows with their line numbers. Raises _Wrong if the whole sheet is unreadable."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _Wrong(f"the file is not UTF-8 text: {SAVE_IT}") from error
    header = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=header.count)  # spreadsheets in many countries write semicolons
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    columns = [name.strip() for name in next(reader, [])]
    missing = [name for name in READ if name not in columns]
    if missing:
        raise _Wrong(f"column `{missing[0]}` is missing; required columns: {', '.join(READ)}")
    line = reader.line_num + 1
    for cells in reader:
        if len(cells) not in (0, len(columns)):
            raise _Wrong(f"line {line} has {len(cells)} cells, but the header has {len(columns)}")
        if any(cells):
            row = dict(zip(columns, cells, strict=True))
            yield line, {name: plain_cell(row[name]) for name in READ}
        line = reader.line_num + 1


def _decision(site: Site, row: Mapping[str, str], reviewer: str) -> Decision | None:
    """Return a row's decision, or None if it is empty or already stored."""
    answer = site.review.material.answers.get(row["question"], {}).get(row["answer"])
    if answer is None:
        raise _Wrong(f"there is no answer {row['answer']!r} to question {row['question']!r}")
    if row["answer_sum"] != f"sha256:{answer.sum}":
        raise _Wrong("the answer has changed since this sheet was made")
    _, rubric = site.question(row["question"])
    if not row["items"].strip():
        _refuse_half(row)
        return None
    items = row["items"].casefold().replace("+", " ").replace(",", " ").split()
    verdict = read_verdict(items, row["adjustment"], row["comment"], rubric)
    if row["seen"].strip() == BLIND:
        if any(decision.reviewer == reviewer for decision in site.review.standing(answer).open):
            raise _Wrong("you decided this answer before; somebody else has to read it again")
        return make_decision(verdict, rubric, answer, reviewer=reviewer, seen=0)
    standing = site.review.standing(answer)
    if standing.holds and _same(standing.holds, verdict, rubric):
        return None
    if row["seen"].strip() != str(standing.newest):
        raise _Wrong(_conflict(answer, standing.open[-1] if standing.open else None))
    return make_decision(verdict, rubric, answer, reviewer=reviewer, seen=standing.newest)


def _refuse_half(row: Mapping[str, str]) -> None:
    if row["adjustment"].strip() or row["comment"].strip():
        raise _Wrong(f"`items` is empty; write `{NONE}` if none is earned")


def _same(holds: Decision, verdict: Verdict, rubric: Review) -> bool:
    return same_rubric(holds, rubric) and verdict_of(holds, rubric) == replace(
        verdict, none=not verdict.items
    )


def _conflict(answer: Answer, newest: Decision | None) -> str:
    if newest is None:
        return "a decision was undone after this sheet was made"
    points = number(answer.points_of(newest))
    return f"{newest.reviewer} gave {points} points after this sheet was made ({newest.decided_at})"
