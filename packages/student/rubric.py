"""Write an assignment's TOML files for students: visible criteria, questions without answers."""

import json
import tomllib
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from graders.model import Assignment
from graders.written.loading import FILE as QUESTIONS
from graders.written.question import Question

# The keys of assignment.toml that a student's checks read; staff keep the others.
KEYS = ("name", "title", "version", "seed", "due", "data", "preload")
TABLES = ("limits", "files", "settings")
LATER = "Graded after you submit it."


def assignment_toml(
    assignment: Assignment, criteria: Collection[str], settings: Collection[str]
) -> str:
    """Return the assignment.toml with only these criteria and settings."""
    text = (assignment.folder / "assignment.toml").read_text(encoding="utf-8")
    read = tomllib.loads(text)
    lines = [f"{key} = {_value(read[key])}" for key in KEYS if key in read]
    for name in TABLES:
        table = read.get(name, {})
        shown = settings if name == "settings" else table
        lines += _table(f"[{name}]", {key: table[key] for key in table if key in shown})
    for criterion in read.get("criterion", ()):
        if criterion["id"] in criteria:
            lines += _table("[[criterion]]", criterion)
    return "\n".join(lines) + "\n"


def questions_toml(questions: Collection[Question], criteria: Collection[str]) -> dict[str, bytes]:
    """Return the written.toml with the questions; its only check is whether there is an answer."""
    shown = [question for question in questions if question.id in criteria]
    text = "\n".join(line for question in shown for line in _question(question))
    return {QUESTIONS: f"{text}\n".encode()} if shown else {}


def _question(question: Question) -> list[str]:
    """Return a question with its parts, which reading answers needs, and without its key."""
    lines = _table(
        "[[question]]", {"id": question.id, "title": question.title, "prompt": question.prompt}
    )
    if (machine := question.machine) is not None:
        form = {"points": machine.points, "kind": machine.kind, "parts": machine.parts}
        shown = {**form, "verify": "later", "example": machine.example}
        lines += _table("[question.machine]", shown)
    if (review := question.review) is not None:
        lines += _table("[question.review]", {"points": review.points, "part": review.part})
        lines += _table("[[question.review.item]]", {"points": review.points, "text": LATER})
    return lines


def _table(head: str, table: Mapping[str, Any]) -> list[str]:
    return ["", head, *(f"{key} = {_value(value)}" for key, value in table.items())]


def _value(value: Any) -> str:
    """Return the value in TOML; its strings, numbers and lists are written as in JSON."""
    if isinstance(value, datetime):
        return value.isoformat()
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
