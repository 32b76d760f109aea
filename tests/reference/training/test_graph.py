"""A recorded step trains like the eager one, or it is not used.

On a CPU, a double of the graph interface takes the place of a GPU.
"""

from dataclasses import replace

import pytest
import torch

from reference.models.gpt import GPT, GPTConfig
from reference.training.gpt.batches.batch import Batch, target_lengths
from reference.training.gpt.preset import COURSE
from reference.training.gpt.self_check import check_training
from reference.training.gpt.steps.graph import EAGER, CapturedStep, recorder_for
from reference.training.gpt.steps.optimizer import keep_rates_on, make_optimizers, set_rates
from reference.training.gpt.steps.step import Step
from reference.training.precision import Machine
from reports.pipelines.page import write_pipeline_page
from tests.reference.training.run_tiny import run

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
    """A replay drops the same numbers every time."""

    def replay(self):
        torch.manual_seed(1)
        super().replay()


def batches(device):
    torch.manual_seed(3)
    for rows in (4, 4, 2) * 3:
        x, y = torch.randint(1, 30, (2, rows, 12)).to(device)
        yield Batch(x, y, target_lengths(y))


def trained(machine, recorder=None, *, dropout=0.1, resumed=False):
    """The step, the losses and the weights of a small model's training."""
    torch.manual_seed(5)
    shares = {"embd_pdrop": dropout, "attn_pdrop": dropout, "resid_pdrop": dropout}
    model = GPT(GPTConfig(30, 32, n_layer=2, n_head=2, n_embd=16, **shares)).to(machine.device)
    optimizers = make_optimizers(model, COURSE.pretrain, torch.float32)
    step = Step(model, optimizers, machine, 0)
    step = step if recorder is None else CapturedStep(step, 4, recorder)
    if resumed:
        saved = optimizers[0].state_dict()
        saved["param_groups"][0]["lr"] = saved["param_groups"][0]["lr"].cpu()
        optimizers[0].load_state_dict(saved)
        keep_rates_on(optimizers[0], machine.device)
    torch.manual_seed(8)
    given = zip(list(batches(machine.device)), RATES, strict=False)
    losses = [float(step(batch, [rate])) for batch, rate in given]
    return step, losses, list(model.parameters())


@needs_gpu
@pytest.mark.parametrize("resumed", [False, True])
@pytest.mark.parametrize("dropout", [0.0, 0.1])
def test_captured_steps_are_the_eager_ones(resumed, dropout):
    """Changing rates, dropout and a smaller last batch reach the recorded step, too."""
    machine = Machine(torch.device("cuda"), torch.float32)
    options = {"dropout": dropout, "resumed": resumed}
    _, losses, weights = trained(machine, **options)
    step, again, found = trained(machine, recorder_for(machine.device), **options)
    assert step.note == ""
    assert again == pytest.approx(losses, rel=1e-4)
    for p, q in zip(weights, found, strict=True):
        torch.testing.assert_close(p, q, rtol=1e-3, atol=1e-5)


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
    step, again, found = trained(machine, recorder)
    assert note in step.note
    assert bool(step.note) == bool(note)
    assert again == losses
    assert all(map(torch.equal, found, weights))
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
    for kind, good, told in ((Repeating, True, "equals the eager one"), (Idle, False, "not used")):
        doubled(kind)
        *_, loss, _, captured = check_training(machine, preset)
        assert loss.good
        assert captured.good is good
        assert told in captured.found
