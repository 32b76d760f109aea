"""Combine several parts of one answer, each graded separately, into one judgement."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NoReturn

from graders.written.question import Asked, Judgement, Misfit, Undecided, Unreadable
from graders.written.reading.split import listed
from graders.written.verifiers.settings import of_part

PartJudge = Callable[[Asked, str], Judgement]


def judge_parts(answer: Asked, judge: PartJudge) -> Judgement:
    """Return the parts' weighted average. Raises Unreadable if one cannot be read."""
    parts = answer.machine.parts
    if len(parts) == 1:
        return judge(answer, parts[0]) if parts[0] in answer.parts else unanswered(parts[0])
    judgements, errors = {}, []
    for part in parts:
        try:
            judgements[part] = judge(answer, part) if part in answer.parts else unanswered(part)
        except Misfit as error:
            judgements[part] = Judgement(0.0, str(error), actual=answer.parts[part])
        except Unreadable as error:
            errors.append(f"`{part}`: {error}")
    if errors:
        raise Unreadable("\n".join((*errors, *_readable(judgements, answer.parts))))
    weights = {part: float(of_part(answer.machine, "weights", part, 1.0)) for part in parts}
    return _combined(judgements, weights)


def _readable(judgements: Mapping[str, Judgement], answered: Collection[str]) -> Iterator[str]:
    """Yield what graders are told about the parts that could be read, or were not given."""
    for part, judgement in judgements.items():
        if part not in answered:
            yield judgement.message
            continue
        state = {1.0: "correct", 0.0: "not correct"}.get(
            judgement.fraction, f"{judgement.fraction:.0%} correct"
        )
        yield f"`{part}` was read and is {state}."


def _combined(judgements: dict[str, Judgement], weights: dict[str, float]) -> Judgement:
    total = sum(weights.values())
    fraction = (
        sum(weights[part] * judgement.fraction for part, judgement in judgements.items()) / total
    )
    wrong = {part: judgement for part, judgement in judgements.items() if judgement.fraction < 1}
    first = next(iter(wrong.values()), Judgement(1.0))
    notes = (
        f"`{part}`: {note}" for part, judgement in judgements.items() for note in judgement.notes
    )
    return Judgement(
        fraction,
        message="\n".join(f"`{part}`: {judgement.message}" for part, judgement in wrong.items()),
        hint="\n".join(
            f"`{part}`: {judgement.hint}" for part, judgement in wrong.items() if judgement.hint
        ),
        expected=first.expected,
        actual="\n".join(
            f"{part}: {judgement.actual}" for part, judgement in wrong.items() if judgement.actual
        ),
        counterexample=first.counterexample,
        notes=tuple(notes),
    )


def unanswered(part: str) -> Judgement:
    return Judgement(0.0, f"`{part}` is not answered.")


def later(answer: Asked) -> NoReturn:
    """Report which parts are missing, and nothing on the others. There are no settings."""
    missing = [part for part in answer.machine.parts if part not in answer.parts]
    start = f"Not answered: {listed(missing)}. The rest is graded" if missing else "Graded"
    raise Undecided(f"{start} after you submit it.")
