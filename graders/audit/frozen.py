"""Freeze every check's verdict on every planted example in a file, to detect changes.

    {"reference": {"check": {"status": "passed", "fraction": 1.0, "outcome": "", "hint": ""}, ...},
     "wrong-one": {"check": ...}, ...}

The solution (`reference`) is listed with all checks; an example only with those whose verdict
differs from the solution's.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from graders.errors import UsageError
from graders.model import Finding

REFERENCE = "reference"
Verdicts = Mapping[str, Mapping[str, Any]]  # of an example, by check


def freeze(
    findings: Sequence[Finding], file: Path, *, earlier: Mapping[str, Verdicts] | None = None
) -> None:
    """Write the verdicts of these findings to a file, with those in `earlier` of other examples.

    Raises UsageError if the kept verdicts are of a solution with other verdicts.
    """
    earlier, fresh = earlier or {}, _verdicts(findings)
    if earlier and earlier.get(REFERENCE) != fresh[REFERENCE]:
        raise UsageError(
            f"{file}: the solution's verdicts differ from those in this file",
            "freeze all examples: leave out their names",
        )
    named = sorted({**earlier, **fresh}.items())
    text = ",\n".join(f'"{name}": {{{_lines(verdicts)}}}' for name, verdicts in named)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{{\n{text}\n}}\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"{file} cannot be written: {error.strerror}", "name another file"
        ) from error


def read_frozen(file: Path) -> Mapping[str, Verdicts]:
    """Return the verdicts in a file that `freeze` wrote; raises UsageError if it has none."""
    try:
        frozen = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{file} cannot be read: {error}", "write it with `--freeze`") from error
    if not isinstance(frozen, dict) or not all(
        isinstance(entry, dict) for entry in frozen.values()
    ):
        raise UsageError(f"{file} contains no verdicts", "write it with `--freeze`")
    return dict(frozen)


def compare_frozen(findings: Sequence[Finding], frozen: Mapping[str, Verdicts]) -> list[Finding]:
    """Return the findings, with a problem for each verdict that differs from the frozen one.

    A frozen example that is missing from the findings gets its own finding.
    """
    verdicts = _verdicts(findings)
    compared = [
        replace(finding, problems=(*finding.problems, *_changes(frozen, verdicts, finding.name)))
        for finding in findings
    ]
    gone = sorted(frozen.keys() - verdicts.keys())
    return compared + [
        Finding(name, "", {}, ("it is frozen, but no longer exists",)) for name in gone
    ]


def _verdicts(findings: Sequence[Finding]) -> dict[str, Verdicts]:
    solved = next((finding.verdicts for finding in findings if finding.name == REFERENCE), {})
    return {
        finding.name: {
            check: verdict
            for check, verdict in finding.verdicts.items()
            if finding.name == REFERENCE or verdict != solved.get(check)
        }
        for finding in findings
    }


def _lines(verdicts: Verdicts) -> str:
    """Write one line per check, so that a diff of two versions of the file is readable."""
    return ",".join(
        f"\n  {json.dumps(check)}: {json.dumps(verdict, ensure_ascii=False)}"
        for check, verdict in sorted(verdicts.items())
    )


def _changes(
    frozen: Mapping[str, Verdicts], current: Mapping[str, Verdicts], name: str
) -> Iterator[str]:
    """Yield the differences of one example, one sentence per check."""
    if name not in frozen:
        yield "it is new since the verdicts were frozen"
        return
    before, after = (
        {**verdicts.get(REFERENCE, {}), **verdicts[name]} for verdicts in (frozen, current)
    )
    for check in sorted(before.keys() | after.keys()):
        old, new = before.get(check), after.get(check)
        if old != new:
            yield f"`{check}` was {_in_words(old)}, is {_in_words(new)}"


def _in_words(verdict: Mapping[str, Any] | None) -> str:
    if verdict is None:
        return "not there"
    words = (verdict[name] for name in ("status", "fraction", "outcome", "hint"))
    return ", ".join(str(word) for word in words if word != "")
