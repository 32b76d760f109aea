"""One training step: forward, backward, clipping, the optimizers; eagerly, on any device.

On a GPU, a step is captured in a CUDA graph: one launch instead of four hundred.

    eager steps -> record one -> trials: from the same state, replayed and eager -> the same?
                                                           yes: every further step is replayed
                                                           no, or an error: all stay eager, and
                                                           `note` says why

torch needs some eager steps before a recording; they train like all others. A replay reads and
writes fixed tensors: batch, learning rates, loss. The trials use another batch, other learning
rates and other dropout than the recording, so that a value it kept is noticed; afterwards
everything is as before.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import torch
from torch.nn import functional as F

from reference.models.gpt import GPT, PAD_ID
from reference.training.gpt.batches import Batch
from reference.training.gpt.optimizers import CLIP, set_rates
from reference.training.precision import Machine


class Step:
    """Trains a model, one batch per call."""

    def __init__(
        self, model: GPT, optimizers: list[torch.optim.Optimizer], machine: Machine, group: int
    ) -> None:
        self.model = model
        self.optimizers = optimizers
        self.machine = machine
        self.group = group

    def __call__(self, batch: Batch, rates: list[float]) -> torch.Tensor:
        """Train with these learning rates; return the loss (1,) of the batch before the step."""
        set_rates(self.optimizers, rates)
        return self.train(batch)

    def train(self, batch: Batch) -> torch.Tensor:
        """Compute gradients, clip them, and step.

        Return the mean loss over all targets of the batch.
        """
        for optimizer in self.optimizers:
            optimizer.zero_grad(set_to_none=True)
        total = torch.zeros((), device=batch.x.device)
        count = batch.targets
        for part in batch.groups(self.group) if self.group else [batch]:
            loss = self.summed_loss(part) / count
            loss.backward()  # type: ignore[no-untyped-call]
            total += loss.detach()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), CLIP)
        for optimizer in self.optimizers:
            optimizer.step()
        return total

    def summed_loss(self, batch: Batch) -> torch.Tensor:
        """Return the sum of the cross-entropy over all targets, without PADs."""
        machine = self.machine
        enabled = machine.dtype != torch.float32
        # The cache of cast weights is off, because inside a captured step it would keep the first
        # ones.
        with torch.autocast(
            machine.device.type, dtype=machine.dtype, enabled=enabled, cache_enabled=False
        ):
            logits, _ = self.model(batch.x)  # (B, T, vocab_size)
        flat = logits.float().flatten(0, 1)
        return F.cross_entropy(flat, batch.y.flatten(), ignore_index=PAD_ID, reduction="sum")


EAGER = 3
TRIALS = (1.0, 0.5)  # factors of the learning rates
TRIAL_SEED = 0x5EED  # of dropout
# Of the distance that the weights move: sums in another order change far less, a stale rate half.
TOLERANCE = 0.05


class Recorder(Protocol):
    """Records work on a device, and repeats it on the same tensors."""

    def warm(self, work: Callable[[], torch.Tensor]) -> torch.Tensor:
        """Do the work as it is, where a later recording needs its memory."""
        ...

    def record(self, work: Callable[[], None]) -> None:
        """Record the work without doing it."""
        ...

    def replay(self) -> None:
        """Do the recorded work."""
        ...


class CudaRecorder:
    """Records with a CUDA graph, on its own stream."""

    def __init__(self) -> None:
        self.graph = torch.cuda.CUDAGraph()
        self.stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]

    def warm(self, work: Callable[[], torch.Tensor]) -> torch.Tensor:
        """Do the work on the stream of the recording."""
        self.stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.stream):
            done = work()
        torch.cuda.current_stream().wait_stream(self.stream)
        return done

    def record(self, work: Callable[[], None]) -> None:
        """Record the work without doing it."""
        with torch.cuda.graph(self.graph, stream=self.stream):
            work()

    def replay(self) -> None:
        """Launch the graph."""
        self.graph.replay()


def recorder_for(device: torch.device) -> Recorder | None:
    """Return a recorder if the device has one."""
    return CudaRecorder() if device.type == "cuda" else None


class CapturedStep:
    """A Step for batches of one shape; smaller ones are padded with rows that don't count."""

    def __init__(self, step: Step, rows: int, recorder: Recorder) -> None:
        self.step = step
        self.rows = rows
        self.recorder = recorder
        self.made = 0
        self.note = ""  # why steps are not replayed
        self.batch: Batch | None = None
        self.loss = torch.zeros((), device=step.machine.device)

    def __call__(self, batch: Batch, rates: list[float]) -> torch.Tensor:
        """Train with these learning rates; return the loss of the batch before the step."""
        full = batch.padded(self.rows)
        if self.made == EAGER:
            self.note = self._prove(full, rates)
        self.made += 1
        if self.made <= EAGER or self.note:
            return self._eager(full, rates)
        return self._replayed(full, rates)

    def _eager(self, batch: Batch, rates: list[float]) -> torch.Tensor:
        set_rates(self.step.optimizers, rates)
        return self.recorder.warm(partial(self.step.train, batch))

    def _replayed(self, batch: Batch, rates: list[float]) -> torch.Tensor:
        assert self.batch is not None  # noqa: S101  narrows the type: a step was recorded
        set_rates(self.step.optimizers, rates)
        self.batch.x.copy_(batch.x)
        self.batch.y.copy_(batch.y)
        self.recorder.replay()
        return self.loss.clone()

    def _prove(self, batch: Batch, rates: list[float]) -> str:
        """Record a step and try it; return why it cannot be used, or nothing."""
        before = State.of(self.step)
        try:
            self.batch = Batch(batch.x.clone(), batch.y.clone(), batch.lengths.clone())
            self.recorder.record(self._train_recorded)
            for number, factor in enumerate(TRIALS):
                other = batch[torch.arange(number, len(batch), device=batch.x.device)]
                again = other.padded(self.rows)
                if problem := self._compared(again, [rate * factor for rate in rates], before):
                    return problem
        except RuntimeError as error:  # torch's for everything that a device refuses
            first = (str(error).splitlines() or [type(error).__name__])[0]
            return f"the step could not be recorded: {first}"
        finally:
            before.restore(self.step)
        return ""

    def _train_recorded(self) -> None:
        assert self.batch is not None  # noqa: S101  narrows the type: set before the recording
        self.loss.copy_(self.step.train(self.batch))

    def _compared(self, batch: Batch, rates: list[float], before: "State") -> str:
        """Return how a replayed step differs from the eager one, or nothing."""
        before.restore(self.step)
        _generator(self.step).manual_seed(TRIAL_SEED)
        expected = float(self._eager(batch, rates))
        eager = State.of(self.step)
        before.restore(self.step)
        _generator(self.step).manual_seed(TRIAL_SEED)
        loss = float(self._replayed(batch, rates))
        moved, apart = eager.distance(before), eager.distance(State.of(self.step))
        if not abs(loss - expected) <= TOLERANCE * abs(expected):
            return f"a replayed step has another loss: {loss:.4g} instead of {expected:.4g}"
        if not apart <= TOLERANCE * moved:
            return f"a replayed step leads to other weights, {apart / moved:.2g} of a step away"
        return ""


@dataclass(frozen=True, slots=True)
class State:
    """A copy of everything that a step changes: weights, optimizers, the device's generator."""

    weights: list[torch.Tensor]
    moments: list[torch.Tensor]
    generator: torch.Tensor

    @classmethod
    def of(cls, step: Step) -> "State":
        """Copy the current state."""
        weights = [parameter.detach().clone() for parameter in step.model.parameters()]
        moments = [tensor.clone() for tensor in _moments(step)]
        return cls(weights, moments, _generator(step).get_state())

    @torch.no_grad()
    def restore(self, step: Step) -> None:
        """Return to this state; every tensor stays where a recorded step finds it."""
        now = [*step.model.parameters(), *_moments(step)]
        for tensor, saved in zip(now, [*self.weights, *self.moments], strict=True):
            tensor.copy_(saved)
        _generator(step).set_state(self.generator)

    def distance(self, other: "State") -> float:
        """Return the Euclidean distance of the weights."""
        pairs = zip(self.weights, other.weights, strict=True)
        squares = [(a - b).double().square().sum() for a, b in pairs]
        return float(torch.stack(squares).sum().sqrt())


def _moments(step: Step) -> list[torch.Tensor]:
    """Return the optimizers' own tensors."""
    states = [state for optimizer in step.optimizers for state in optimizer.state.values()]
    return [tensor for state in states for tensor in state.values() if torch.is_tensor(tensor)]


def _generator(step: Step) -> torch.Generator:
    """Return the generator of dropout."""
    device = step.machine.device
    if device.type != "cuda":
        return torch.default_generator
    return torch.cuda.default_generators[device.index or torch.cuda.current_device()]
