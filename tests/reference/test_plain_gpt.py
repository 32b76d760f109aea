"""Our own model, read by an independent implementation: same logits, same answers."""

import numpy as np
import pytest
import torch
from torch.nn.utils.rnn import pad_sequence

from reference.data.vocabulary import MASK, Vocabulary
from reference.data.world import make_world
from reference.models.checkpoint import load_checkpoint
from reference.models.gpt import GPT, GPTConfig
from reference.models.prediction import predict_places
from tests.reference.plain_gpt import PlainGPT

WORLD = make_world()
VOCABULARY = Vocabulary(WORLD.wiki)
PERSONS = WORLD.dev[:3]
N_HEAD = 2


def make_model(rope, block_size):
    torch.manual_seed(5)
    config = GPTConfig(len(VOCABULARY), block_size, n_layer=2, n_head=N_HEAD, n_embd=64, rope=rope)
    return GPT(config)


def plain(model):
    return PlainGPT({n: t.numpy() for n, t in model.state_dict().items()}, N_HEAD)


def train(model, steps):
    """Learn the first persons' places by heart, without dropout."""
    rows = [VOCABULARY.encode(p.question + MASK + p.place + MASK) for p in PERSONS]
    texts = pad_sequence([torch.tensor(row) for row in rows], batch_first=True)
    optimizer = torch.optim.AdamW(model.eval().parameters(), lr=3e-3)
    for _ in range(steps):
        _, loss = model(texts[:, :-1], texts[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


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


@pytest.mark.slow
@pytest.mark.parametrize(("rope", "block_size"), [(False, 128), (True, 36)])
def test_trained_checkpoint_gives_the_same_answers(rope, block_size, tmp_path):
    model = make_model(rope, block_size)
    train(model, steps=60)
    torch.save(model.state_dict(), tmp_path / "a.params")
    state = {name: a.numpy() for name, a in load_checkpoint(tmp_path / "a.params").items()}
    # A newline before the MASK, as in the course's test file, is a prompt never trained on.
    prompts = [p.question + MASK for p in PERSONS] + [WORLD.test[0].question + "\n" + MASK]
    other = PlainGPT(state, N_HEAD)
    answers = [VOCABULARY.decode(other.answer(VOCABULARY.encode(p))) for p in prompts]
    assert predict_places(model, VOCABULARY, prompts) == answers
    assert answers[:-1] == [person.place for person in PERSONS]
