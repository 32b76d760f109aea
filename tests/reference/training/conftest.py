"""A tiny run: the pipeline of a small dataset in a second or two."""

import pytest
import torch

from reference.models.gpt import GPT, GPTConfig
from reference.training.precision import Machine
from tests.reference.training.run_tiny import preset

CPU = torch.device("cpu")


@pytest.fixture
def machine():
    return Machine(CPU, torch.float32)


@pytest.fixture
def tiny_model():
    """Makes the same small model whenever it is called."""

    def make(*, rope=False):
        torch.manual_seed(5)
        none = {"embd_pdrop": 0.0, "attn_pdrop": 0.0, "resid_pdrop": 0.0}
        return GPT(GPTConfig(30, 32, n_layer=2, n_head=2, n_embd=16, rope=rope, **none))

    return make


@pytest.fixture
def tiny_preset():
    """The demo's recipes for a model that learns nothing, in seconds."""
    return preset()
