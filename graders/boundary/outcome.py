"""Turn the end of a request into a value, or into a sentence for the student."""

import re
import signal
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from graders.boundary.crash_hints import crash_hint
from graders.boundary.process import Ending, LimitExceeded
from graders.boundary.wire import Value, WireError
from graders.errors import (
    BadReply,
    SandboxFailed,
    SoftmarkError,
    StudentExited,
    StudentFault,
    StudentFileMissing,
    StudentOutOfMemory,
    StudentRaised,
    StudentSignalled,
    StudentTimedOut,
    Unavailable,
)
from graders.model import Limits

Read = TypeVar("Read")
MAX_TEXT = 500
MALFORMED = "What your code returned does not have the expected type or shape."
ENDLESS = (
    "The inputs are small. Look for a loop that never ends, such as a `while` whose condition does "
    "not change, and for work that is repeated for each item but needed once."
)
TOO_LARGE = (
    "The inputs are small. Look for a list, a tensor or a file that grows without end, and for a "
    "tensor whose shape is much larger than it should be."
)
EXITS = 'Remove `exit()` and `sys.exit()`, or move them below `if __name__ == "__main__":`.'
# What the stand-ins of graders/adapting/offline say. Code could report any other sentence as ours.
LACKING = re.compile(
    r"the (?:dataset|metric) `.+` is not available without a network"
    r"|a dataset cannot be sent to the hub without a network"
    r"|the average .+ of a score is not available in the sandbox"
)
NO_MODULE = re.compile(r"No module named '([\w.]+)'$")
SIGKILL, SIGXCPU = 9, 24  # not every system names them
NAMES = {
    4: "illegal instruction",
    6: "abort",
    7: "bus error",
    8: "arithmetic error",
    11: "segmentation fault",
    31: "forbidden system call",
}


def answer(reply: dict[str, Value], *, offline: bool = True) -> Value:
    """Return the value in a reply; raise the fault that the reply reports, or BadReply.

    `offline`: the student side replaces what only a network has, so it may lack some of that.
    """
    if set(reply) == {"id", "value"}:
        return reply["value"]
    error = reply.get("error")
    if not isinstance(error, dict):
        raise unreadable(WireError("neither a value nor an error"))
    raise fault_of(error, offline=offline)


def read_reply(read: Callable[[Any], Read], reply: Value) -> Read:
    """Return `read(reply)`; any exception that it raises becomes the student's BadReply.

    A reader may also raise a StudentFault, or fail the check, with its own message.
    """
    try:
        return read(reply)
    except (SoftmarkError, AssertionError):
        raise
    except Exception as error:  # a reply may be of any type and shape
        raise BadReply(MALFORMED) from error


def fault_of(error: Mapping[str, Value], *, offline: bool = True) -> StudentFault | Unavailable:
    """Return the error that the student's process reported, as a fault with a sentence.

    Without `offline`, nothing is Unavailable.
    """
    text = {name: clean(str(error.get(name, ""))) for name in ("kind", "message", "source")}
    where = clean(str(error.get("where", "")))
    match str(error.get("outcome")):
        case "exited":
            status = text["message"] or "0"
            return StudentExited(f"Your code called exit (status {status}).", where, EXITS)
        case "out_of_memory":
            message = _with_detail("Your code ran out of memory", text)
            return StudentOutOfMemory(message, where, TOO_LARGE)
        case "unsendable":
            return BadReply(f"Your code's answer cannot be used: {text['message']}.", where)
        case "unavailable" if offline and LACKING.fullmatch(text["message"]):
            place = f" ({where})" if where else ""
            return Unavailable(f"{text['message']}, and your code asks for it{place}")
    return _raised(text, where)


def place_in(reply: Mapping[str, Value]) -> str:
    """Return the file and line that an error reply names, or ""."""
    error = reply.get("error")
    return clean(str(error.get("where", ""))) if isinstance(error, dict) else ""


def out_of_time(limits: Limits, where: str = "") -> StudentTimedOut:
    """Return the fault of code that exceeded its time limit."""
    return StudentTimedOut(
        f"Your code ran for more than {limits.wall_seconds:g} s and was stopped.", where, ENDLESS
    )


def out_of_total_time(seconds: float, where: str = "") -> StudentTimedOut:
    """Return the fault of a submission that has used up the time for all of its checks."""
    return StudentTimedOut(
        f"Your code used up the {seconds:g} s that a submission has for all checks together, so it "
        "was stopped. The remaining checks cannot run.",
        where,
        ENDLESS,
    )


def over_a_limit(error: LimitExceeded) -> StudentOutOfMemory:
    """Return the fault of code whose processes together exceeded a limit."""
    return StudentOutOfMemory(f"Your code was stopped: {error}.", hint=TOO_LARGE)


def unreadable(error: WireError) -> BadReply:
    """Return the fault of an invalid reply."""
    return BadReply(f"Your code's process sent an invalid reply: {error}.")


def out_of_processor_time(limits: Limits) -> StudentTimedOut:
    """Return the fault of code that exceeded its limit on processor time."""
    return StudentTimedOut(
        f"Your code used more than {limits.cpu_seconds} s of processor time and was stopped.",
        hint=ENDLESS,
    )


def fault_of_ending(
    ending: Ending | None, limits: Limits, busy: float
) -> StudentFault | SandboxFailed:
    """Return the fault of a process that ended or closed its connection instead of answering.

    A process cannot send itself SIGKILL (seccomp.py). A killed process therefore used up its time
    (and perhaps ignored the signal that warns of it) or its memory. Otherwise the cause was
    outside the student's code, and the fault is SandboxFailed.
    """
    if ending is None:
        return BadReply("Your process closed its connection without an answer.")
    if ending.signal is None:
        return StudentExited(
            f"Your process ended itself (exit status {ending.status}) before it answered.",
            hint=EXITS,
        )
    killed = ending.signal == SIGKILL
    spent = max(busy, ending.seconds) >= limits.cpu_seconds
    if ending.signal == SIGXCPU or (killed and spent and not ending.starved):
        return out_of_processor_time(limits)
    if killed and ending.starved:
        return StudentOutOfMemory(
            "Your process was killed: it used too much memory.", hint=TOO_LARGE
        )
    if killed:
        return SandboxFailed(
            "the student's process was killed (SIGKILL), but not for its own use of memory or "
            "time; perhaps this machine ran out of memory"
        )
    return StudentSignalled(f"Your process died: {_signal_name(ending.signal)}.")


def clean(text: str, most: int = MAX_TEXT) -> str:
    """Return text that is safe to show: without control characters, cut to a limit."""
    safe = "".join(
        character if character.isprintable() or character == "\n" else "\N{REPLACEMENT CHARACTER}"
        for character in text[: most + 1]
    )
    return safe if len(safe) <= most else safe[:most] + " …"


def _raised(text: dict[str, str], where: str) -> StudentRaised:
    kind, missing = text["kind"] or "an error", NO_MODULE.match(text["message"])
    if kind == "ModuleNotFoundError" and missing and not where:  # a check asks for it, no student
        return StudentFileMissing(f"`{missing[1]}.py` is not in your submission.", kind=kind)
    source = f", at `{text['source']}`" if text["source"] else ""
    caller = "Your code" if where else "Calling your code"  # no line of theirs is to blame
    sentence = f"{_with_detail(f'{caller} raised {kind}', text)}{source}"
    sentence = sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."
    return StudentRaised(sentence, where, kind, crash_hint(kind, text["message"], text["source"]))


def _with_detail(sentence: str, text: dict[str, str]) -> str:
    return f"{sentence}: {text['message']}" if text["message"] else sentence


def _signal_name(number: int) -> str:
    name = NAMES.get(number)
    if name is None:
        try:
            name = signal.Signals(number).name
        except ValueError:
            name = "a signal"
    return f"{name} (signal {number})"
