"""Check training on a device that nobody has tried: the course's model, for a few steps."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import torch

from reference.models.gpt import GPT
from reference.training.gpt.batches import Batch, target_lengths
from reference.training.gpt.optimizers import make_optimizers
from reference.training.gpt.preset import COURSE, Preset
from reference.training.gpt.step import EAGER, CapturedStep, Step, recorder_for
from reference.training.precision import Machine

CHARACTERS = 256  # about as many as the course's corpus has
TIMED = 20  # steps
NEAR = 1e-3  # relative difference of a loss in float32
SLOPES_APART = 0.05  # relative; on a CPU they are 0.005 apart, in bfloat16, too
SHARE = 0.002  # of the loss: the change that a step along the gradient should make


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was tried; `good` is False if it needs attention."""

    name: str
    state: str
    good: bool


def check_training(machine: Machine, preset: Preset = COURSE) -> Iterator[Finding]:
    """Yield what this device computes, how it captures a step, and how fast both are."""
    yield Finding("gpu", _described(machine), good=True)
    on_cpu = _loss(Machine(torch.device("cpu"), torch.float32), preset)
    on_device = _loss(machine, preset)
    near = NEAR if machine.dtype == torch.float32 else 10 * NEAR
    alike = abs(on_cpu - on_device) <= near * on_cpu
    yield Finding("  loss", f"{on_device:.5f}, on the CPU {on_cpu:.5f}", good=alike)
    predicted, measured = slopes(_step(machine, preset), _batch(machine.device, preset))
    alike = abs(predicted - measured) <= SLOPES_APART * predicted
    sentence = f"the loss has slope {measured:.4f} along it, expected {predicted:.4f}"
    yield Finding("  gradient", sentence, good=alike)
    batch, step = _batch(machine.device, preset), _step(machine, preset)
    eager = _timed(partial(step, batch, [preset.pretrain.learning_rate]), machine)
    yield Finding("  eager step", _speed(eager, batch), good=True)
    recorder = recorder_for(machine.device)
    if recorder is None:
        yield Finding("  captured step", "this device records no steps", good=False)
        return
    captured = CapturedStep(_step(machine, preset), len(batch), recorder)
    for _ in range(EAGER + 1):
        captured(batch, [preset.pretrain.learning_rate])
    if captured.note:
        yield Finding("  captured step", f"not used: {captured.note}", good=False)
        return
    replayed = _timed(partial(captured, batch, [preset.pretrain.learning_rate]), machine)
    yield Finding("  captured step", f"equals the eager one; {_speed(replayed, batch)}", good=True)


def _described(machine: Machine) -> str:
    words = [machine.name, machine.precision, f"torch {torch.__version__}"]
    if machine.device.type == "cuda":
        size = torch.cuda.get_device_properties(machine.device).total_memory
        words += [f"CUDA {torch.version.cuda}", f"{size / 2**30:.0f} GiB"]
    return ", ".join(words)


def _step(machine: Machine, preset: Preset) -> Step:
    torch.manual_seed(0)
    config = preset.model(CHARACTERS, rope=False, flash=machine.device.type == "cuda")
    model = GPT(config).to(machine.device).train()
    return Step(model, make_optimizers(model, preset.pretrain, machine.dtype), machine, 0)


def _loss(machine: Machine, preset: Preset) -> float:
    """Return the new model's mean loss, without dropout."""
    step, batch = _step(machine, preset), _batch(machine.device, preset)
    step.model.eval()
    with torch.no_grad():
        return float(step.summed_loss(batch) / batch.targets)


def slopes(step: Step, batch: Batch) -> tuple[float, float]:
    """Return the slope of the loss along its gradient g: |g|, and the one that is measured.

    (L(w + εg/|g|) - L(w - εg/|g|)) / 2ε, with the same dropout each time, so that also the
    backward pass of dropout and of fused attention is tested.
    """
    weights = list(step.model.parameters())

    def loss() -> torch.Tensor:
        torch.manual_seed(0)
        return step.summed_loss(batch) / batch.targets

    start = loss()
    gradient = torch.autograd.grad(start, weights)
    norm = float(torch.stack([tensor.square().sum() for tensor in gradient]).sum().sqrt())
    epsilon = SHARE * float(start.detach()) / norm
    ends = []
    for factor in (epsilon, -2 * epsilon):  # forward from the weights, then as far back
        with torch.no_grad():
            for weight, direction in zip(weights, gradient, strict=True):
                weight.add_(direction, alpha=factor / norm)
        ends.append(float(loss().detach()))
    return norm, (ends[0] - ends[1]) / (2 * epsilon)


def _batch(device: torch.device, preset: Preset) -> Batch:
    generator = torch.Generator().manual_seed(1)
    shape = (2, preset.pretrain.batch_size, preset.block_size)
    x, y = torch.randint(2, CHARACTERS, shape, generator=generator).to(device)
    return Batch(x, y, target_lengths(y))


def _timed(work: Callable[[], object], machine: Machine) -> float:
    """Return the seconds of a step, after a first one that is not counted."""
    work()
    _wait(machine)
    started = time.perf_counter()
    for _ in range(TIMED):
        work()
    _wait(machine)
    return (time.perf_counter() - started) / TIMED


def _wait(machine: Machine) -> None:
    if machine.device.type == "cuda":
        torch.cuda.synchronize()


def _speed(seconds: float, batch: Batch) -> str:
    return f"{1000 * seconds:.2f} ms, {batch.x.numel() / seconds:,.0f} tokens/s"
