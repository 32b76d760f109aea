"""One training step, compared with the course's, written out in float64.

A recorded step trains like the eager one, or it is not used: on a CPU, a double of the graph
interface takes the place of a GPU.
"""

import math
from dataclasses import replace

import pytest
import torch
from torch._inductor import config as inductor
from torch.nn import functional as F

from reference.models.gpt import GPT, PAD_ID, GPTConfig
from reference.training.gpt.batches import Batch, target_lengths
from reference.training.gpt.optimizers import (
    keep_rates_on,
    learning_rates,
    make_optimizers,
    parameter_groups,
    set_rates,
)
from reference.training.gpt.preset import COURSE
from reference.training.gpt.self_check import check_training
from reference.training.gpt.step import EAGER, CapturedStep, Step, recorder_for
from reference.training.gpt.task import compile_blocks
from reference.training.precision import Machine
from reports.pipelines.page import write_pipeline_page
from tests.reference.training.run_tiny import run

EXAMPLES, BATCH, WIDTH = 10, 4, 12  # the last batch of an epoch has two rows


def examples():
    torch.manual_seed(3)
    x = torch.randint(2, 30, (EXAMPLES, WIDTH))
    y = torch.randint(2, 30, (EXAMPLES, WIDTH))
    lengths = torch.randint(3, WIDTH + 1, (EXAMPLES,))
    y[torch.arange(WIDTH) >= lengths[:, None]] = PAD_ID
    return x, y


def batches(epochs):
    x, y = examples()
    for _ in range(epochs):
        for start in range(0, EXAMPLES, BATCH):
            yield x[start : start + BATCH], y[start : start + BATCH]


class PlainTrainer:
    """The course's step in float64: AdamW by its formulas, clipping by the norm of all."""

    def __init__(self, model, rates):
        self.model, self.rates = model.double(), rates
        self.m = {n: torch.zeros_like(p) for n, p in model.named_parameters()}
        self.v = {n: torch.zeros_like(p) for n, p in model.named_parameters()}
        self.t = 0

    def step(self, x, y):
        self.model.zero_grad()
        logits, _ = self.model(x)
        loss = F.cross_entropy(logits.flatten(0, 1), y.flatten(), ignore_index=0)
        loss.backward()
        norm = math.sqrt(sum(float((p.grad**2).sum()) for p in self.model.parameters()))
        rate = 6e-3 * self.rates[self.t]
        self.t += 1
        with torch.no_grad():
            for name, p in self.model.named_parameters():
                self.move(name, p, p.grad * min(1.0, 1.0 / (norm + 1e-6)), rate)
        return float(loss.detach()), norm

    def move(self, name, p, g, rate):
        self.m[name] = 0.9 * self.m[name] + 0.1 * g
        self.v[name] = 0.95 * self.v[name] + 0.05 * g * g
        if "bias" not in name:
            p -= rate * 0.1 * p
        m, v = self.m[name] / (1 - 0.9**self.t), self.v[name] / (1 - 0.95**self.t)
        p -= rate * m / (v.sqrt() + 1e-8)


@pytest.mark.parametrize("rope", [False, True])
@pytest.mark.parametrize("group", [0, 3])
def test_steps_are_the_course_s(rope, group, tiny_model, machine):
    """Seven steps with an uneven last batch, warmup and decay move every weight alike."""
    rates = [1.0, 0.3, 0.7, 0.9, 0.5, 0.2, 0.1]
    plain = PlainTrainer(tiny_model(rope=rope), rates)
    model = tiny_model(rope=rope).double()
    optimizers = make_optimizers(model, COURSE.pretrain, torch.float32)
    step = DoubleStep(model, optimizers, machine, group)
    norms = []
    for rate, (x, y) in zip(rates, batches(3), strict=False):
        loss = step(Batch(x, y, target_lengths(y)), [6e-3 * rate])
        expected, norm = plain.step(x, y)
        norms.append(norm)
        assert float(loss) == pytest.approx(expected, rel=1e-6)
    assert max(norms) > 1, "clipping was never asked for"
    for (name, p), q in zip(model.named_parameters(), plain.model.parameters(), strict=True):
        torch.testing.assert_close(p, q, rtol=1e-6, atol=1e-8, msg=name)


class DoubleStep(Step):
    """The step as it is, but without rounding the logits to float32."""

    def summed_loss(self, batch):
        logits, _ = self.model(batch.x)
        return F.cross_entropy(
            logits.flatten(0, 1), batch.y.flatten(), ignore_index=PAD_ID, reduction="sum"
        )


def test_all_but_biases_decay(tiny_model):
    model = tiny_model()
    decayed, free = ({id(p) for p in group} for group in parameter_groups(model))
    modules = [module for module in model.modules() if getattr(module, "bias", None) is not None]
    assert free == {id(module.bias) for module in modules}
    assert decayed == {id(p) for p in model.parameters()} - free


def test_bfloat16_step_is_near_the_float32_one(tiny_model):
    losses = []
    for dtype in (torch.float32, torch.bfloat16):
        model = tiny_model()
        optimizers = make_optimizers(model, COURSE.pretrain, torch.float32)
        step = Step(model, optimizers, Machine(torch.device("cpu"), dtype), 4)
        losses.append([float(step(b, [1e-3])) for b in full_batches(6)])
    assert losses[0] == pytest.approx(losses[1], abs=0.05)
    assert losses[0] != losses[1], "autocast was not on"


def full_batches(epochs):
    for x, y in batches(epochs):
        yield Batch(x, y, target_lengths(y))


def test_training_lowers_the_loss(tiny_model, machine):
    model = tiny_model(rope=True)
    step = Step(model, make_optimizers(model, COURSE.pretrain, torch.float32), machine, 3)
    rates = learning_rates(COURSE.pretrain, EXAMPLES, WIDTH, 10_000)
    losses = [float(step(b, [6e-3 * r])) for b, r in zip(full_batches(40), rates, strict=False)]
    assert losses[-1] < losses[0] / 2


RATES = [6e-3, 3e-3, 1e-3, 5e-3, 2e-3, 4e-3, 1e-4, 6e-3]
needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


class Repeating:
    """Does the work again, as a graph does."""

    def __init__(self):
        self.replays = 0

    def warm(self, work):
        return work()

    def record(self, work):
        self.work = work

    def replay(self):
        self.replays += 1
        self.work()


class Refusing(Repeating):
    """The device cannot record this work."""

    def record(self, work):
        raise RuntimeError("operation not permitted when stream is capturing")


class Idle(Repeating):
    """A replay does nothing."""

    def replay(self):
        pass


class KeepsTheRates(Repeating):
    """A replay uses the learning rates of the recording."""

    def record(self, work):
        super().record(work)
        (self.optimizer,) = work.__self__.step.optimizers
        self.rate = float(self.optimizer.param_groups[0]["lr"])

    def replay(self):
        set_rates([self.optimizer], [self.rate])
        super().replay()


class KeepsTheDropout(Repeating):
    """A replay drops the numbers that the recording dropped."""

    def record(self, work):
        super().record(work)
        self.state = torch.get_rng_state()

    def replay(self):
        torch.set_rng_state(self.state)
        super().replay()


def ragged(device):
    torch.manual_seed(3)
    for rows in (4, 4, 2) * 3:
        x, y = torch.randint(1, 30, (2, rows, 12)).to(device)
        yield Batch(x, y, target_lengths(y))


def trained(machine, recorder=None, *, dropout=0.1, resumed=False, compiled=False):
    """The step, the losses and the weights of a small model's training."""
    torch.manual_seed(5)
    shares = {"embd_pdrop": dropout, "attn_pdrop": dropout, "resid_pdrop": dropout}
    model = GPT(GPTConfig(30, 32, n_layer=2, n_head=2, n_embd=16, **shares)).to(machine.device)
    if compiled:
        compile_blocks(model)
    optimizers = make_optimizers(model, COURSE.pretrain, torch.float32)
    step = Step(model, optimizers, machine, 0)
    step = step if recorder is None else CapturedStep(step, 4, recorder)
    if resumed:
        saved = optimizers[0].state_dict()
        saved["param_groups"][0]["lr"] = saved["param_groups"][0]["lr"].cpu()
        optimizers[0].load_state_dict(saved)
        keep_rates_on(optimizers[0], machine.device)
    torch.manual_seed(8)
    pairs = zip(list(ragged(machine.device)), RATES, strict=False)
    losses = [float(step(batch, [rate])) for batch, rate in pairs]
    return step, losses, list(model.parameters())


@needs_gpu
@pytest.mark.parametrize("resumed", [False, True])
@pytest.mark.parametrize("dropout", [0.0, 0.1])
def test_captured_steps_are_the_eager_ones(resumed, dropout):
    """Changing rates, dropout and a smaller last batch reach the recorded step, too."""
    machine = Machine(torch.device("cuda"), torch.float32)
    options = {"dropout": dropout, "resumed": resumed}
    _, losses, weights = trained(machine, **options)
    step, again, captured = trained(machine, recorder_for(machine.device), **options)
    assert step.note == ""
    assert again == pytest.approx(losses, rel=1e-4)
    for p, q in zip(weights, captured, strict=True):
        torch.testing.assert_close(p, q, rtol=1e-3, atol=1e-5)


@needs_gpu
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of torch, about itself
def test_compiled_blocks_train_alike():
    machine = Machine(torch.device("cuda"), torch.float32)
    _, losses, weights = trained(machine, dropout=0.0)
    recorder = recorder_for(machine.device)
    step, again, compiled = trained(machine, recorder, dropout=0.0, compiled=True)
    assert step.note == ""
    assert again == pytest.approx(losses, rel=1e-4)
    for p, q in zip(weights, compiled, strict=True):
        torch.testing.assert_close(p, q, rtol=1e-2, atol=1e-4)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of torch, about itself
def test_without_a_compiler_blocks_stay_as_they_are(machine, monkeypatch):
    monkeypatch.setattr(inductor, "force_disable_caches", True)
    monkeypatch.setattr(inductor.cpp, "cxx", ("no-such-compiler",))
    expected = trained(machine, dropout=0.0)
    assert trained(machine, dropout=0.0, compiled=True)[1] == expected[1]


@pytest.mark.parametrize(
    ("kind", "note"),
    [
        (Repeating, ""),
        (Refusing, "could not be recorded: operation not permitted"),
        (Idle, "another loss"),
        (KeepsTheRates, "other weights"),
        (KeepsTheDropout, "a replayed step"),
    ],
)
def test_only_a_step_that_proved_itself_is_replayed(machine, kind, note):
    """Whatever the device does, the losses and weights are those of eager steps."""
    # Rows of PADs make dropout draw more numbers, so the eager steps get them, too.
    _, losses, weights = trained(machine, Refusing())
    recorder = kind()
    step, again, replayed = trained(machine, recorder)
    assert note in step.note
    assert bool(step.note) == bool(note)
    assert again == losses
    assert all(map(torch.equal, replayed, weights))
    if not note:
        assert recorder.replays >= len(RATES) - EAGER
        without = {"dropout": 0.0}
        assert trained(machine, Repeating(), **without)[1] == pytest.approx(
            trained(machine, **without)[1], rel=1e-5
        )


@pytest.fixture
def doubled(monkeypatch):
    """Gives the CPU a recorder."""

    def give(kind):
        for module in ("task", "self_check"):
            name = f"reference.training.gpt.{module}.recorder_for"
            monkeypatch.setattr(name, lambda _device: kind())

    return give


def test_a_run_says_why_its_steps_are_slow(doubled, tmp_path):
    """The whole path of a GPU; of the demo's optimizers, AdamW's steps can be recorded."""
    runs = []
    for kind in (Repeating, Refusing):
        doubled(kind)
        runs.append(run(tmp_path / kind.__name__))
    page = (write_pipeline_page(runs[1], tmp_path)).read_text(encoding="utf-8")
    assert {phase.note for phase in runs[0].phases} == {""}
    notes = {phase.note for phase in runs[1].phases if phase.note}
    assert all(f"allows: {note}." in page for note in notes)
    assert len(notes) == 1
    assert [p.curve for p in runs[0].phases] == [p.curve for p in runs[1].phases]


def test_the_doctor_tells_what_the_device_can_do(doubled, machine, tiny_preset):
    recipe = replace(tiny_preset.pretrain, optimizer="adamw", batch_size=4)
    preset = replace(tiny_preset, pretrain=recipe)
    for kind, good, words in ((Repeating, True, "equals the eager one"), (Idle, False, "not used")):
        doubled(kind)
        _, loss, gradient, _, captured = check_training(machine, preset)
        assert loss.good
        assert gradient.good
        assert captured.good is good
        assert words in captured.state
