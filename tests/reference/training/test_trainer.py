"""A training that is stopped and resumed ends as if it had never stopped."""

import pytest
import torch

from graders.errors import StorageError
from reference.data.vocabulary import Vocabulary
from reference.data.world import make_world
from reference.training.gpt.batches import CorruptedDocuments, Questions, read_corpus
from reference.training.gpt.optimizers import learning_rates
from reference.training.gpt.task import GPTTask
from reference.training.trainer import Trainer

WORLD = make_world(1)
DOCUMENTS = CorruptedDocuments(
    read_corpus(WORLD.wiki, Vocabulary(WORLD.wiki), 32, device=torch.device("cpu"))
)


class Stopped(Exception):
    """Somebody pressed Ctrl-C."""


@pytest.fixture(autouse=True)
def saved_whenever_possible(monkeypatch):
    """Not every five seconds."""
    monkeypatch.setattr("reference.training.trainer.SAVE_SECONDS", -1.0)
    monkeypatch.setattr("reference.training.trainer.SAVING_SHARE", 0)


@pytest.fixture
def trainer(tiny_preset, machine, tmp_path):
    """A trainer of three epochs that saves after each."""
    recipe = tiny_preset.pretrain
    rates = learning_rates(recipe, len(DOCUMENTS), 32, 401 * 32)

    def make(model):
        task = GPTTask(model, DOCUMENTS, recipe, rates, machine)
        return Trainer(task, 7, tmp_path / "phase.params")

    return make


@pytest.fixture
def model():
    from reference.models.gpt import GPT, GPTConfig

    def make():
        torch.manual_seed(0)
        size = {"n_layer": 1, "n_head": 1, "n_embd": 16}
        return GPT(GPTConfig(len(Vocabulary(WORLD.wiki)), 32, **size))  # with dropout

    return make


def stop_at(step):
    def report(done, steps, loss):
        if done >= step:
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
    curve = trainer(model()).train(lambda *progress: seen.append(progress)).curve
    assert [(0, 39, None), *((point.step, 39, point.loss) for point in curve)] == seen
    assert curve[-1].step == 39
    assert curve[0].loss > curve[-1].loss


class Walk:
    """A task of long epochs: random steps, whose length is the batch."""

    epochs, per_epoch, long_epochs = 3, 4, True

    def __init__(self, machine):
        self.machine = machine
        self.place = torch.zeros(())
        self.ends = []

    def batches(self, epoch):
        return [10 * epoch + i for i in range(self.per_epoch)]

    def step(self, number, batch):
        self.place += batch * torch.rand(())
        return self.place.clone(), 1 / (number + 1)

    def end_epoch(self):
        self.ends.append(float(self.place))

    def state(self):
        return {"place": self.place, "ends": self.ends}

    def load(self, state):
        self.place, self.ends = state["place"], state["ends"]


@pytest.fixture
def walk(machine, tmp_path):
    """A walk that is saved after each step, and its trainer."""

    def make():
        task = Walk(machine)
        return task, Trainer(task, 7, tmp_path / "walk.state")

    return make


@pytest.mark.parametrize("step", [1, 4, 5, 6, 12])
def test_long_epoch_goes_on_where_it_stopped(walk, tmp_path, step):
    task, trainer = walk()
    whole = trainer.train(lambda *_: None)
    (tmp_path / "walk.state").unlink()
    with pytest.raises(Stopped):
        walk()[1].train(stop_at(step))
    resumed, second = walk()
    assert second.progress.step == step - 1
    assert second.train(lambda *_: None).curve == whole.curve
    assert resumed.ends == task.ends


def test_long_epoch_ends_with_a_point(walk, monkeypatch):
    monkeypatch.setattr("reference.training.trainer.POINTS", 1)
    curve = walk()[1].train(lambda *_: None).curve
    assert [point.step for point in curve] == [4, 8, 12]


def test_damaged_state_is_named(trainer, model, tmp_path):
    (tmp_path / "phase.params").write_bytes(b"PK\x03\x04 half a file")
    with pytest.raises(StorageError, match=r"phase\.params: the file is damaged") as error:
        trainer(model())
    assert "remove it" in error.value.hint


def test_an_epoch_holds_every_document_once_and_questions_keep_their_order():
    order = torch.randperm(len(DOCUMENTS))
    batches = list(DOCUMENTS.batches(order, 32))
    assert [len(batch) for batch in batches] == [32] * 12 + [17]
    assert all(batch.x.shape[1] == DOCUMENTS.corpus.width for batch in batches)
    x = torch.arange(2, 12)[:, None].repeat(1, 3)
    batches = list(Questions(x, x).batches(torch.arange(10), 4))
    assert [len(batch) for batch in batches] == [4, 4, 2]
    assert torch.equal(torch.cat([batch.x for batch in batches]), x)
