"""Combine several parts of one answer, each graded separately, into one judgement."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NoReturn

from graders.written.question import Asked, Judgement, Misfit, Undecided, Unreadable
from graders.written.reading.split import listed
from graders.written.verifiers.settings import of_part

PartJudge = Callable[[Asked, str], Judgement]


def judge_parts(asked: Asked, judge: PartJudge) -> Judgement:
    """Return the parts' weighted average. Raises Unreadable if one cannot be read."""
    parts = asked.machine.parts
    if len(parts) == 1:
        return judge(asked, parts[0]) if parts[0] in asked.parts else unanswered(parts[0])
    found, errors = {}, []
    for part in parts:
        try:
            found[part] = judge(asked, part) if part in asked.parts else unanswered(part)
        except Misfit as error:
            found[part] = Judgement(0.0, str(error))
        except Unreadable as error:
            errors.append(f"`{part}`: {error}")
    if errors:
        raise Unreadable("\n".join((*errors, *_readable(found, asked.parts))))
    weights = {part: float(of_part(asked.machine, "weights", part, 1.0)) for part in parts}
    return together(found, weights)


def _readable(found: Mapping[str, Judgement], given: Collection[str]) -> Iterator[str]:
    """Yield what graders are told about the parts that could be read, or were not given."""
    for part, each in found.items():
        if part not in given:
            yield each.message
            continue
        said = {1.0: "correct", 0.0: "not correct"}.get(
            each.fraction, f"{each.fraction:.0%} correct"
        )
        yield f"`{part}` was read and is {said}."


def together(found: dict[str, Judgement], weights: dict[str, float]) -> Judgement:
    total = sum(weights.values())
    fraction = sum(weights[part] * each.fraction for part, each in found.items()) / total
    wrong = {part: each for part, each in found.items() if each.fraction < 1}
    first = next(iter(wrong.values()), Judgement(1.0))
    notes = (f"`{part}`: {note}" for part, each in found.items() for note in each.notes)
    return Judgement(
        fraction,
        message=" ".join(f"`{part}`: {each.message}" for part, each in wrong.items()),
        hint=" ".join(f"`{part}`: {each.hint}" for part, each in wrong.items() if each.hint),
        expected=first.expected,
        actual=first.actual,
        counterexample=first.counterexample,
        notes=tuple(notes),
    )


def unanswered(part: str) -> Judgement:
    return Judgement(0.0, f"`{part}` is not answered.")


def later(asked: Asked) -> NoReturn:
    """Report which parts are missing, and nothing on the others. There are no settings."""
    missing = [part for part in asked.machine.parts if part not in asked.parts]
    said = f"Not answered: {listed(missing)}. The rest is graded" if missing else "Graded"
    raise Undecided(f"{said} after you submit it.")
