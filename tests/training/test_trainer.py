"""A phase that is stopped and goes on ends as if it had never stopped."""

import pytest
import torch

from graders.errors import Misuse
from reference.vocabulary import Vocabulary
from reference.world import make_world
from training.corpus import read_corpus
from training.examples import CorruptedDocuments, Questions
from training.schedule import learning_rates
from training.trainer import Course, Trainer

WORLD = make_world(1)
DOCUMENTS = CorruptedDocuments(
    read_corpus(WORLD.wiki, Vocabulary(WORLD.wiki), 32, device=torch.device("cpu"))
)


class Stopped(Exception):
    """Somebody pressed Ctrl-C."""


@pytest.fixture
def trainer(tiny_preset, machine, tmp_path, monkeypatch):
    """A trainer of three epochs that saves after each."""
    monkeypatch.setattr("training.trainer.SAVE_SECONDS", -1.0)
    recipe = tiny_preset.pretrain
    rates = learning_rates(recipe, len(DOCUMENTS), 32, 401 * 32)
    course = Course(recipe, rates, 7, machine, tmp_path / "phase.params")

    def make(model):
        return Trainer(model, DOCUMENTS, course)

    return make


@pytest.fixture
def model():
    from reference.gpt import GPT, GPTConfig

    def make():
        torch.manual_seed(0)
        size = {"n_layer": 1, "n_head": 1, "n_embd": 16}
        return GPT(GPTConfig(len(Vocabulary(WORLD.wiki)), 32, **size))  # with dropout

    return make


def stop_at(step):
    def report(made, loss):
        if made >= step:
            raise Stopped

    return report


def test_stopped_phase_goes_on_as_if_undisturbed(trainer, model, tmp_path):
    undisturbed = model()
    whole = trainer(undisturbed).train(lambda *_: None)
    (tmp_path / "phase.params").unlink()
    with pytest.raises(Stopped):
        trainer(model()).train(stop_at(30))
    resumed = model()
    second = trainer(resumed)
    assert second.progress.epoch == 2
    assert second.progress.step == 26
    progress = second.train(lambda *_: None)
    assert progress.curve == whole.curve
    for name, expected in undisturbed.state_dict().items():
        assert torch.equal(resumed.state_dict()[name], expected), name


def test_curve_has_the_mean_loss_of_all_steps(trainer, model):
    seen = []
    curve = trainer(model()).train(lambda made, loss: seen.append((made, loss))).curve
    assert [(point.step, point.loss) for point in curve] == seen
    assert curve[-1].step == 39
    assert curve[0].loss > curve[-1].loss


def test_damaged_state_is_named(trainer, model, tmp_path):
    (tmp_path / "phase.params").write_bytes(b"PK\x03\x04 half a file")
    with pytest.raises(Misuse, match=r"phase\.params: the file is damaged") as error:
        trainer(model())
    assert "remove it" in error.value.hint


def test_an_epoch_holds_every_document_once():
    order = torch.randperm(len(DOCUMENTS))
    batches = list(DOCUMENTS.batches(order, 32))
    assert [len(batch) for batch in batches] == [32] * 12 + [17]
    assert all(batch.x.shape[1] == DOCUMENTS.corpus.width for batch in batches)


def test_questions_keep_their_order():
    x = torch.arange(2, 12)[:, None].repeat(1, 3)
    batches = list(Questions(x, x).batches(torch.arange(10), 4))
    assert [len(batch) for batch in batches] == [4, 4, 2]
    assert torch.equal(torch.cat([batch.x for batch in batches]), x)
