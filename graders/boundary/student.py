"""The student's code as the checks see it: call a function, get a value or a StudentFault.

    check -> Student.call("draw", n=3, read=int) -> child (started when first needed) -> value
                                        | crash, time-out, nonsense                        |
                                        v                                                  v
              StudentFault with a sentence; <------ any exception ------ read(value) -> what the
              the next call gets a fresh child                                          check judges

A failure before the child says hello is our fault (SandboxFailed), and so is a SIGKILL without an
explanation. Everything else that the child does is attributed to the student's code.
"""

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, overload

from graders.boundary import outcome, wire
from graders.boundary.limits.resources import Resources
from graders.boundary.outcome import Read
from graders.boundary.policy import MAX_FAULTS, START_SECONDS
from graders.boundary.process import (
    ENDING_SECONDS,
    ChannelClosed,
    Child,
    CpuTimeExceeded,
    LimitExceeded,
)
from graders.boundary.side import PACKAGE, Side
from graders.boundary.stage import Stage
from graders.boundary.tiers.launch import Job
from graders.boundary.tiers.sandbox import Tier, start, user_for
from graders.boundary.wire import Value
from graders.errors import SandboxFailed, StudentFault, StudentTimedOut
from graders.model import Limits

TELLING_SECONDS = 1.0  # for the child to report where its code was when its time was up
PLACE = re.compile(r'File "(.+)", line (\d+)')


@dataclass(slots=True)
class Budget:
    """The total time that all checks of a submission may wait for its processes."""

    seconds: float
    spent: float = 0.0

    @property
    def left(self) -> float:
        """The remaining seconds."""
        return max(0.0, self.seconds - self.spent)


class Student:
    """One submission's code behind the trust boundary; a context manager."""

    def __init__(  # noqa: PLR0913  `warm=False` is for tests that compare the two starts
        self,
        code: Path | None,
        side: Side,
        limits: Limits,
        *,
        seed: int,
        tier: Tier,
        warm: bool = True,
        preload: tuple[str, ...] = (),
        budget: Budget | None = None,
    ) -> None:
        self.tier = tier
        self.environment: Mapping[str, str] = {}
        self.kept: dict[object, Any] = {}  # by `once`, until `close`
        self._side = side
        self._new_stage = partial(Stage, code, side, user_for(tier))
        self._new_job = partial(Job, limits=limits, seed=seed, warm=warm, preload=preload)
        self._limits = limits
        self._budget = budget or Budget(limits.total_seconds)
        self._child: Child | None = None
        self._outputs: list[str] = []
        self._requests = 0
        self._spent = 0.0
        self._used = Resources()
        self._broken: list[StudentFault] = []
        self._killed: SandboxFailed | None = None

    def __enter__(self) -> "Student":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @cached_property
    def _stage(self) -> Stage:
        """Its files, copied when first needed: some submissions are never called."""
        return self._new_stage()

    @property
    def output(self) -> str:
        """The text that the student's code has printed so far, cut to the limit."""
        current = [self._child.capture.text()] if self._child is not None else []
        return "".join([*self._outputs, *current])[: self._limits.output_bytes]

    @property
    def resources(self) -> Resources:
        """What its children have used so far: the largest peak of memory, the time of all."""
        running = self._child.resources() if self._child is not None else Resources()
        return self._used.plus(running)

    def begin_check(self) -> None:
        """Give the next calls a full wall clock budget."""
        self._spent = 0.0
        self._killed = None

    def begin_criterion(self) -> None:
        """Forget earlier crashes and timeouts, so that they don't affect another criterion."""
        self._broken.clear()

    def renew(self) -> None:
        """End the child, so that the next call starts a fresh one without any earlier state."""
        self._stop()

    def can(self, function: str) -> bool:
        """Return whether the assignment's student side has this function."""
        return self._side.has(function)

    @overload
    def call(self, function: str, /, *, read: None = None, **values: Value) -> Value: ...

    @overload
    def call(self, function: str, /, *, read: Callable[[Any], Read], **values: Value) -> Read: ...

    def call(
        self, function: str, /, *, read: Callable[[Any], Any] | None = None, **values: Value
    ) -> Any:
        """Return `read(value)`, with the value that this function of the student side returns.

        The value may be anything: an exception that `read` raises becomes the student's BadReply.
        Raises a StudentFault if the function does not answer, SandboxFailed if no child can be
        started. A keyword `seed` seeds only this call and is not passed on.
        """
        reply = self._answer(function, values)
        return reply if read is None else outcome.read_reply(read, reply)

    def once(
        self, key: object, ask: Callable[[], Read], keep: tuple[type[Exception], ...] = ()
    ) -> Read:
        """Return or raise what `ask` does; later calls with this key get the same.

        Only exceptions of the types `keep` are kept; after others the next call asks again.
        """
        if key not in self.kept:
            try:
                self.kept[key] = ask()
            except keep as problem:
                self.kept[key] = problem
        answer: Read = self.kept[key]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _answer(self, function: str, values: dict[str, Value]) -> Value:
        """Return the value that the child sends; raises as `call` does."""
        module = f"{PACKAGE}.{self._side.module_of(function)}"
        self._requests += 1
        self._refuse_when_hopeless()
        patience = self._patience
        request: dict[str, Value] = {
            "id": self._requests,
            "module": module,
            "function": function,
            "values": values,
            "seconds": patience,
        }
        frame = wire.encode(request)
        child = self._running()
        started = time.monotonic()
        try:
            reply = self._ask(child, frame, started + patience)
        finally:
            waited = time.monotonic() - started
            self._spent += waited
            self._budget.spent += waited
        return outcome.answer(reply, offline=self._side.is_offline)

    @property
    def _patience(self) -> float:
        """The seconds that a call may take: the rest of its check's or the submission's time."""
        return min(self._limits.wall_seconds - self._spent, self._budget.left)

    def _out_of_time(self, where: str = "") -> StudentFault:
        """Return the fault of a call that ran out of time; `_spent` does not count it yet."""
        if self._budget.left < self._limits.wall_seconds - self._spent:
            return outcome.out_of_total_time(self._budget.seconds, where)
        return outcome.out_of_time(self._limits, where)

    def _ask(self, child: Child, frame: bytes, deadline: float) -> dict[str, Value]:
        """Return the child's reply; end the child if there is no valid one."""
        try:
            data = child.ask(frame, deadline + TELLING_SECONDS)
            is_late = time.monotonic() >= deadline
            reply = wire.decode(data)
            if not isinstance(reply, dict) or repr(reply.get("id")) != str(self._requests):
                raise wire.WireError("the reply answers no request")
            if is_late:
                raise self._end(self._out_of_time(outcome.place_in(reply)))
            return reply
        except TimeoutError:
            raise self._end(self._out_of_time()) from None
        except LimitExceeded as error:
            raise self._end(outcome.over_a_limit(error)) from None
        except CpuTimeExceeded:
            raise self._end(outcome.out_of_processor_time(self._limits)) from None
        except (ChannelClosed, wire.WireError) as error:
            if time.monotonic() >= deadline:  # half a reply may precede the time-out's message
                raise self._end(self._out_of_time()) from None
            fault = (
                self._fault_of_ending(child)
                if isinstance(error, ChannelClosed)
                else outcome.unreadable(error)
            )
            if isinstance(fault, StudentFault):
                raise self._end(fault) from None
            self._stop()
            self._killed = fault
            raise fault from None
        except BaseException:
            self._stop()
            raise

    def _end(self, fault: StudentFault) -> StudentFault:
        """End the child and count the fault; after MAX_FAULTS of them no child is started."""
        self._broken.append(fault)
        self._stop()
        return fault

    def _refuse_when_hopeless(self) -> None:
        if self._killed is not None:  # a new process must not answer the rest of this check
            raise self._killed
        if not self._budget.left:
            raise outcome.out_of_total_time(self._budget.seconds)
        if len(self._broken) >= MAX_FAULTS:
            last = self._broken[-1]
            times = f"This happened {len(self._broken)} times, so your code was not called again."
            raise type(last)(f"{last} {times}", last.where, hint=last.hint)
        if self._spent >= self._limits.wall_seconds:
            places = [fault.where for fault in self._broken if isinstance(fault, StudentTimedOut)]
            raise outcome.out_of_time(self._limits, places[-1] if places else "")

    def _running(self) -> Child:
        """Return the child; a fresh one if there is none or it sent something without a request."""
        if self._child is not None and (fault := self._fault_since(self._child)) is not None:
            if isinstance(fault, StudentFault):
                self._end(fault)
                self._refuse_when_hopeless()
            self._stop()  # killed from outside: no answer is lost
        if self._child is None:
            self._start()
        assert self._child is not None  # noqa: S101  narrows the type: _start sets it
        return self._child

    def _fault_since(self, child: Child) -> StudentFault | SandboxFailed | None:
        """Return what a child did wrong since its last answer, or None if it still waits."""
        try:
            if child.has_unread():
                return outcome.unreadable(wire.WireError("it sent data without a request"))
        except ChannelClosed:
            return self._fault_of_ending(child)
        # Before its channel closes; if the end is the student's fault, the next call reports it.
        fault = self._fault_of_ending(child) if child.has_ended() else None
        return fault if isinstance(fault, SandboxFailed) else None

    def _fault_of_ending(self, child: Child) -> StudentFault | SandboxFailed:
        return outcome.fault_of_ending(child.end(ENDING_SECONDS), self._limits, child.busy)

    def _start(self) -> None:
        try:
            self._stage.renew_scratch()
            self._child = start(self.tier, self._new_job(self._stage))
        except OSError as error:
            raise SandboxFailed(f"the sandbox `{self.tier.value}` did not start: {error}") from None
        try:
            frame = self._child.receive(time.monotonic() + START_SECONDS)
            self.environment = _versions(wire.decode(frame))
        except (
            TimeoutError,
            ChannelClosed,
            LimitExceeded,
            CpuTimeExceeded,
            wire.WireError,
        ) as error:
            output = self._last_words()
            reason = output.splitlines()[-1][:500] if output else str(error) or type(error).__name__
            self._stop()
            fault = SandboxFailed(
                f"the student's process did not start in `{self.tier.value}`: {reason}"
            )
            for place in PLACE.findall(output)[-1:]:  # a line of ours: no student code has run
                fault.add_note("at {}, line {}".format(*place))
            raise fault from None
        except BaseException:
            self._stop()
            raise

    def _last_words(self) -> str:
        """Return the output of a child that failed to start."""
        assert self._child is not None  # noqa: S101  called between start and stop
        self._child.end(ENDING_SECONDS)
        return self._child.capture.text().strip()

    def _stop(self) -> None:
        if self._child is not None:
            child, self._child = self._child, None
            child.end()
            self._used = self._used.plus(child.resources())
            self._outputs.append(child.capture.text())

    def close(self) -> None:
        """End the process, and remove its files and what was kept for it."""
        self._stop()
        self.kept.clear()
        stage: Stage | None = vars(self).pop("_stage", None)
        if stage is not None:
            stage.close()


def _versions(hello: Value) -> dict[str, str]:
    versions = hello.get("hello") if isinstance(hello, dict) else None
    if not isinstance(versions, dict):
        raise wire.WireError("no hello")
    return {name: str(version) for name, version in versions.items()}
