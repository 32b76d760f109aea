"""Verify one option, several options, or true and false with a key."""

from collections.abc import Mapping
from string import ascii_uppercase

from graders.errors import UsageError
from graders.written.question import Asked, Judgement, Machine, Unreadable
from graders.written.values.choice import Contradictory, Options, read_choice, read_choices
from graders.written.values.truth import read_truth, refuse_both
from graders.written.verifiers.parts import judge_parts
from graders.written.verifiers.settings import of_part, required, texts


def choice(answer: Asked) -> Judgement:
    """Grade one option per part.

    Settings: `key` (a label, or a table of part to label; a list if several are correct),
    `options` (label to text, or to several texts that mean it) or `boxes` (the number of letters),
    `comments` (label to a note that costs no points).
    """
    return judge_parts(answer, _choice)


def choices(answer: Asked) -> Judgement:
    """Grade several options of one question.

    Settings: `key` (the labels), `options` or `boxes`, `credit` ("all", or "boxes" for a fraction
    per box that is set correctly).
    """
    return judge_parts(answer, _choices)


def true_false(answer: Asked) -> Judgement:
    """Grade true or false; a reason after it is not read. Setting: `key`."""
    return judge_parts(answer, _true_false)


def _choice(answer: Asked, part: str) -> Judgement:
    options, machine = _options(answer.machine), answer.machine
    chosen = _read(answer.parts[part], options)
    comments = machine.settings.get("comments", {})
    notes = (str(comments[chosen]),) if chosen in comments else ()
    if chosen in texts(of_part(machine, "key", part)):
        return Judgement(1.0, actual=chosen, notes=notes)
    for mistake in machine.mistakes:
        if mistake.part == part and mistake.answer == chosen:
            return Judgement(mistake.fraction, _not(chosen), mistake.hint, actual=chosen)
    return Judgement(0.0, _not(chosen), actual=chosen, notes=notes)


def _read(text: str, options: Options) -> str:
    """Return the chosen option; for yes and no, in several languages."""
    if set(options.labels) != {"yes", "no"}:
        return read_choice(text, options)
    try:
        chosen = read_choice(text, options)
    except Contradictory:
        raise
    except Unreadable as unclear:
        try:
            return "yes" if read_truth(text) else "no"
        except Unreadable:
            raise unclear from None  # its message says yes or no, not true or false
    refuse_both(text, chosen == "yes")
    return chosen


def _choices(answer: Asked, part: str) -> Judgement:
    options, machine = _options(answer.machine), answer.machine
    chosen = read_choices(answer.parts[part], options)
    key = frozenset(texts(of_part(machine, "key", part)))
    shown = ", ".join(label for label in options.labels if label in chosen) or "none"
    right = len(options.labels) - len(chosen ^ key)
    if chosen == key:
        return Judgement(1.0, actual=shown)
    per_box = machine.settings.get("credit", "all") == "boxes"
    message = f"{right} of {len(options.labels)} options are correct."
    fraction = right / len(options.labels) if per_box else 0.0
    for mistake in machine.mistakes:
        if mistake.part == part and read_choices(mistake.answer, options) == chosen:
            return Judgement(max(fraction, mistake.fraction), message, mistake.hint, actual=shown)
    return Judgement(fraction, message, actual=shown)


def _true_false(answer: Asked, part: str) -> Judgement:
    truth = read_truth(answer.parts[part])
    key = of_part(answer.machine, "key", part)
    if not isinstance(key, bool):
        raise UsageError(f"the key of `{part}` is {key!r}", "write `key = true` or `key = false`")
    if truth == key:
        return Judgement(1.0, actual=str(truth))
    hints = (mistake.hint for mistake in answer.machine.mistakes if mistake.part == part)
    return Judgement(0.0, f"{truth} is not correct.", next(hints, ""), actual=str(truth))


def _options(machine: Machine) -> Options:
    options = machine.settings.get("options")
    if isinstance(options, Mapping):
        return Options({str(label): texts(some) for label, some in options.items()})
    return Options(dict.fromkeys(ascii_uppercase[: int(required(machine, "boxes"))], ()))


def _not(chosen: str) -> str:
    return f"{chosen} is not the correct choice."
