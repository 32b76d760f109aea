"""Read and write regrade requests: the file of `appeal`, or a plain text from a student.

{"schema": "softmark/request/v1", "code": "ABCDE-23456", "criterion": "rotary",
 "reason": "...", "attachment": {"name": "plot.png", "base64": "..."}}

ABCDE-23456 rotary
My table has the same values: ...
"""

import base64
import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from graders.errors import UsageError, did_you_mean
from graders.model import Assignment, Criterion
from graders.storage.requests import Request, code_of
from graders.storage.store import Store
from graders.tables import first_problem

LARGEST = 2**20  # bytes of a request's file
LARGEST_ATTACHMENT = LARGEST // 2
LONGEST_REASON = 10_000  # characters
LONGEST_NAME = 6  # words of a criterion's title
CODE = re.compile(r"(?<![\w-])[A-Z2-7]{5}-[A-Z2-7]{5}(?![\w-])")
PART = re.compile(r" *\([^()]*\)$")
REMEDY = (
    "a request is a file that `appeal` wrote, or a text with the code and the criterion in one "
    "line, such as `ABCDE-23456 rotary`, and the reason"
)


class _Attachment(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    name: Annotated[str, Field(max_length=200)]
    base64: str


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, populate_by_name=True)

    schema_: Annotated[Literal["softmark/request/v1"], Field(alias="schema")]
    code: str
    criterion: str
    reason: Annotated[str, Field(min_length=1, max_length=LONGEST_REASON)]
    attachment: _Attachment | None = None


@dataclass(frozen=True, slots=True)
class Sent:
    """A request as a student sent it, with the content of its attachment."""

    request: Request
    content: bytes


def request_text(code: str, criterion: str, reason: str, attach: Path | None) -> str:
    """Return the text of a request's file; raises UsageError if a value is invalid."""
    if not CODE.fullmatch(code.strip().upper()):
        raise UsageError(f"`{code}` is not a request code", "it is at the end of your page")
    if not criterion.strip():
        raise UsageError("name a criterion", "the end of your page lists them")
    attachment = None
    if attach is not None:
        try:
            content = attach.read_bytes()
        except OSError as error:
            raise UsageError(f"{attach}: {error.strerror}", "choose another file") from error
        if len(content) > LARGEST_ATTACHMENT:
            raise UsageError(f"{attach} has more than 512 KB", "attach a part of it")
        attachment = _Attachment(name=attach.name, base64=base64.b64encode(content).decode())
    if not 0 < len(reason.strip()) <= LONGEST_REASON:
        problem = f"a reason has 1 to {LONGEST_REASON:,} characters"
        raise UsageError(problem, "say with --reason what is wrong")
    file = _File(
        schema_="softmark/request/v1",
        code=code.strip().upper(),
        criterion=criterion.strip(),
        reason=reason.strip(),
        attachment=attachment,
    )
    return file.model_dump_json(by_alias=True, indent=1) + "\n"


def read_request(file: Path, store: Store, task: Assignment) -> Sent:
    """Return the request in a file; raises UsageError if it does not fit the store."""
    try:
        content = file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}", REMEDY) from error
    return request_in(content, str(file), store, task)


def request_in(content: bytes, file: str, store: Store, task: Assignment) -> Sent:
    """Return the request in this content; errors refer to it as `file`."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{file} is not UTF-8 text", REMEDY) from error
    if len(content) > LARGEST:
        raise UsageError(f"{file} is larger than 1 MB", REMEDY)
    members = store.members()
    codes = {code_of(store.course_key(), member.submission): member for member in members}
    named = names_of([criterion for criterion in task.rubric if criterion.visibility != "hidden"])
    is_json = text.lstrip().startswith("{")
    read = _read_json(file, text) if is_json else _read_text(file, text, codes, named)
    code = read.code.strip().upper()
    if code not in codes:
        raise UsageError(
            f"{file}: no submission here has the code `{code}`", "it is at the end of each page"
        )
    criterion = named.get(read.criterion.casefold(), "")
    if not criterion:
        criteria = list(dict.fromkeys(named.values()))
        end = did_you_mean(read.criterion, criteria)
        problem = f"{file}: there is no criterion `{read.criterion}`{end}"
        raise UsageError(problem, f"choose from {', '.join(criteria)}")
    name = read.attachment.name if read.attachment else ""
    content = _decoded(file, read.attachment.base64) if read.attachment else b""
    return Sent(Request(codes[code].submission, criterion, read.reason, name), content)


def _read_json(file: str, text: str) -> _File:
    try:
        return _File.model_validate_json(text)
    except ValidationError as error:
        raise UsageError(f"{file}: {first_problem(error)}", REMEDY) from error


def names_of(rubric: Sequence[Criterion]) -> dict[str, str]:
    """Return the criteria by ID and title, in lower case.

    A title without its end in parentheses, such as `(part g)`, is a name, too, if it is unique.
    """
    short = [PART.sub("", criterion.title).casefold() for criterion in rubric]
    once = (
        (name, criterion)
        for name, criterion in zip(short, rubric, strict=True)
        if short.count(name) == 1
    )
    named = {name: criterion.id for name, criterion in once}
    named |= {criterion.title.casefold(): criterion.id for criterion in rubric}
    return named | {criterion.id.casefold(): criterion.id for criterion in rubric}


def _read_text(file: str, text: str, codes: Container[str], named: Mapping[str, str]) -> _File:
    """Return the request in a mail: the code is anywhere, and best followed by the criterion."""
    lines = [line.strip() for line in text.strip().splitlines()]
    matches = [(n, match) for n, line in enumerate(lines) for match in CODE.finditer(line.upper())]
    # Two words of five letters with a hyphen look like a code.
    if not matches:
        raise UsageError(f"{file} is not a request", REMEDY)
    at, code = next((pair for pair in matches if pair[1][0] in codes), matches[0])
    rest = lines[at][code.end() :].strip(" .,:;")
    alone = code.start() == 0 and len(rest.split()) <= LONGEST_NAME
    criterion = rest if rest.casefold() in named or (alone and rest) else ""
    reason = "\n".join(lines[:at] + lines[at + 1 :] if criterion and alone else lines).strip()
    criterion = criterion or _mentioned(rest, named) or _mentioned(text, named)
    if not criterion or not 0 < len(reason) <= LONGEST_REASON:
        raise UsageError(f"{file} is not a request about one criterion", REMEDY)
    return _File(schema_="softmark/request/v1", code=code[0], criterion=criterion, reason=reason)


def _mentioned(text: str, named: Mapping[str, str]) -> str:
    """Return the only criterion that a text names; nothing if it names none or several."""
    names = "|".join(map(re.escape, sorted(named, key=len, reverse=True)))
    mentions = re.findall(rf"(?<![\w-])(?:{names})(?![\w-])", text.casefold())
    criteria = {named[name] for name in mentions}
    return criteria.pop() if len(criteria) == 1 else ""


def _decoded(file: str, text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError as error:
        raise UsageError(f"{file}: the attachment is damaged", "ask for the file again") from error
