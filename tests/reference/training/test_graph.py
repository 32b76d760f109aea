"""A captured step trains like the eager one; only if there is a GPU."""

import pytest
import torch

from reference.training.gpt.batches.batch import Batch, target_lengths
from reference.training.gpt.preset import COURSE
from reference.training.gpt.steps.graph import CapturedStep
from reference.training.gpt.steps.optimizer import keep_rates_on, make_optimizers
from reference.training.gpt.steps.step import Step
from reference.training.precision import Machine

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
RATES = [6e-3, 3e-3, 1e-3, 5e-3, 2e-3, 4e-3, 1e-4, 6e-3]


def batches():
    torch.manual_seed(3)
    for rows in (4, 4, 2) * 3:
        x = torch.randint(2, 30, (rows, 12), device="cuda")
        y = torch.randint(1, 30, (rows, 12), device="cuda")
        yield Batch(x, y, target_lengths(y))


@pytest.mark.parametrize("resumed", [False, True])
def test_captured_steps_are_the_eager_ones(tiny_model, resumed):
    """Changing rates and a smaller last batch reach the recorded step, too."""
    machine = Machine(torch.device("cuda"), torch.float32)
    models, losses = [], []
    for capture in (False, True):
        model = tiny_model().cuda()
        optimizers = make_optimizers(model, COURSE.pretrain, torch.float32)
        step = Step(model, optimizers, machine, 0)
        step = CapturedStep(step, 4) if capture else step
        if resumed:
            saved = optimizers[0].state_dict()
            saved["param_groups"][0]["lr"] = saved["param_groups"][0]["lr"].cpu()
            optimizers[0].load_state_dict(saved)
            keep_rates_on(optimizers[0], machine.device)
        losses.append([float(step(b, [r])) for b, r in zip(batches(), RATES, strict=False)])
        models.append(model)
    assert losses[0] == pytest.approx(losses[1], rel=1e-4)
    for p, q in zip(models[0].parameters(), models[1].parameters(), strict=True):
        torch.testing.assert_close(p, q, rtol=1e-3, atol=1e-5)
