"""Our own model, read by an independent implementation: same logits."""

import numpy as np
import pytest
import torch

from reference.data.vocabulary import Vocabulary
from reference.data.world import make_world
from reference.models.gpt import GPT, GPTConfig
from tests.reference.plain_gpt import PlainGPT

VOCABULARY = Vocabulary(make_world().wiki)
N_HEAD = 2


def make_model(rope, block_size):
    torch.manual_seed(5)
    config = GPTConfig(len(VOCABULARY), block_size, n_layer=2, n_head=N_HEAD, n_embd=64, rope=rope)
    return GPT(config)


def plain(model):
    return PlainGPT({n: t.numpy() for n, t in model.state_dict().items()}, N_HEAD)


@pytest.mark.parametrize("rope", [False, True])
def test_logits_are_those_of_plain_numpy(rope):
    model = make_model(rope, block_size=48).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)  # biases and norms must count too
    ids = torch.randint(len(VOCABULARY), (48,), generator=torch.Generator().manual_seed(1)).tolist()
    with torch.no_grad():
        ours, _ = model(torch.tensor([ids]))
    np.testing.assert_allclose(ours[0].numpy(), plain(model).logits(ids), atol=1e-4)


def test_stored_rotation_is_the_one_used():
    model = make_model(rope=True, block_size=48).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    before = plain(model).logits([5, 9, 7])
    for name, buffer in model.named_buffers():
        if name.endswith("rope_cache"):
            buffer.copy_(buffer.flip(0))
    with torch.no_grad():
        ours, _ = model(torch.tensor([[5, 9, 7]]))
    after = plain(model).logits([5, 9, 7])
    np.testing.assert_allclose(ours[0].numpy(), after, atol=1e-4)
    assert abs(after - before).max() > 0.01
