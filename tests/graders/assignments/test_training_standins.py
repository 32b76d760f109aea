"""The stand-ins for the starter's files behave like the reference."""

import importlib
import sys

import pytest
import torch

import reference.models.attention
from graders.registry.discovery import ASSIGNMENTS
from reference.data.evaluation import evaluate_places
from reference.models.gpt import GPT, GPTConfig

STANDINS = ASSIGNMENTS / "cs224n_a4" / "standins"
SIZE = {"n_layer": 2, "n_head": 2, "n_embd": 8}
NAMES = ("models", "trainer", "utils", "tqdm", "attention")


@pytest.fixture
def standin(monkeypatch):
    """Imports a stand-in, beside the reference's attention."""
    monkeypatch.syspath_prepend(str(STANDINS))
    monkeypatch.setitem(sys.modules, "attention", reference.models.attention)
    for name in NAMES[:-1]:
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield importlib.import_module
    for name in [module for module in sys.modules if module.split(".")[0] in NAMES[:-1]]:
        del sys.modules[name]


@pytest.fixture
def models(standin):
    """A stand-in model and the reference's, with the same weights."""

    def make(rope):
        module = standin("models")
        ours = module.GPT(module.GPTConfig(11, 6, rope=rope, **SIZE)).eval()
        theirs = GPT(GPTConfig(11, 6, rope=rope, **SIZE)).eval()
        theirs.load(ours.state_dict())
        return ours, theirs

    return make


@pytest.mark.parametrize("rope", [False, True])
def test_model_gives_the_logits_and_the_loss_of_the_reference(models, rope):
    ours, theirs = models(rope)
    x, y = torch.tensor([[1, 5, 3, 2, 4]]), torch.tensor([[0, 3, 2, 4, 0]])
    torch.testing.assert_close(ours(x, y), theirs(x, y))


def test_model_refuses_a_text_beyond_its_block(models):
    with pytest.raises(ValueError, match="7 characters"):
        models(rope=True)[0](torch.ones(1, 7, dtype=torch.long))


def test_greedy_sampling_appends_the_likeliest(models, standin):
    ours, _ = models(rope=False)
    sampled = standin("utils").sample(ours, torch.tensor([[1, 2]]), 7)
    assert sampled.shape == (1, 9)
    assert sampled[0, 6] == ours(sampled[:, :6])[0][0, -1].argmax()


def test_sampling_can_be_held_to_the_best(models, standin):
    ours, _ = models(rope=False)
    utils = standin("utils")
    utils.set_seed(3)
    drawn = utils.sample(ours, torch.tensor([[1, 2]]), 4, sample=True, top_k=1)
    assert torch.equal(drawn, utils.sample(ours, torch.tensor([[1, 2]]), 4))


def test_places_are_counted_as_the_reference_does(standin, tmp_path):
    gold, count = tmp_path / "gold.tsv", standin("utils").evaluate_places
    gold.write_text("Where?\tLondon\nWhere?\tParis\n", encoding="utf-8")
    predictions = ["London", "London"]
    assert count(str(gold), predictions) == tuple(evaluate_places(gold, predictions)) == (2.0, 1.0)
    with pytest.raises(ValueError, match="2 places, but 0 predictions"):
        count(str(gold), [])
    gold.write_text("Where?\n", encoding="utf-8")
    assert count(str(gold), ["London"]) == (0.0, 0.0)


def test_trainer_learns_and_saves(models, standin, tmp_path):
    ours, _ = models(rope=True)
    x = torch.tensor([1, 5, 3, 2])
    data = [(x, torch.tensor([5, 3, 2, 1]))] * 4
    trainer = standin("trainer")
    config = trainer.TrainerConfig(
        max_epochs=30, batch_size=2, learning_rate=3e-2, lr_decay=True, warmup_tokens=16,
        final_tokens=500, ckpt_path=str(tmp_path / "saved"),
    )  # fmt: skip
    before = ours(x[None], data[0][1][None])[1]
    trainer.Trainer(ours, data, None, config).train()
    assert ours.eval()(x[None], data[0][1][None])[1] < before / 2
    saved = torch.load(config.ckpt_path, weights_only=True)
    torch.testing.assert_close(saved, dict(ours.state_dict()))


def test_learning_rate_warms_up_and_decays(standin):
    module = standin("trainer")
    config = module.TrainerConfig(lr_decay=True, warmup_tokens=100, final_tokens=1100)
    trainer = module.Trainer(torch.nn.Linear(1, 1), [], None, config)
    rates = []
    for trainer.tokens in (50, 100, 600, 1100):
        rates.append(trainer._decay())
    assert rates == pytest.approx([0.5, 1.0, 0.5, 0.1])


def test_learning_rate_stays_without_decay(standin):
    module = standin("trainer")
    trainer = module.Trainer(torch.nn.Linear(1, 1), [], None, module.TrainerConfig())
    assert trainer._decay() == 1.0
    trainer.save_checkpoint()  # writes nothing without a path


def test_progress_bar_only_iterates(standin):
    tqdm = standin("tqdm.auto")
    bar = tqdm.tqdm([1, 2], desc="epoch")
    bar.set_description("loss 3")
    assert list(bar) == [1, 2]
    assert list(tqdm.trange(2)) == [0, 1]


def test_settings_take_what_they_are_given(standin):
    config = standin("models").GPTConfig(3, 4, bottleneck_dim=2)
    assert (config.vocab_size, config.bottleneck_dim, config.rope) == (3, 2, False)
