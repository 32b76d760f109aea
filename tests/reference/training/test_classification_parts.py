"""Parts of the classifier's training: batches of similar length, scores, running means."""

import pytest
import torch
from torch import nn

from graders.data.labelled import open_labelled
from reference.models.backbone import TinySize, load_backbone, write_tiny
from reference.models.classifier import Classifier
from reference.training.classification.command import training_scalars
from reference.training.classification.items import (
    Scores,
    batch_count,
    encoded,
    shuffled_batches,
)
from reference.training.classification.task import Averages
from reference.training.precision import Machine

CPU = torch.device("cpu")


@pytest.mark.parametrize(("n", "size"), [(1, 4), (63, 4), (64, 4), (65, 4), (700, 16), (6920, 32)])
def test_each_item_comes_once_an_epoch(n, size):
    batches = shuffled_batches(torch.arange(n) % 50, size, seed=1)
    assert len(batches) == batch_count(n, size)
    assert torch.cat(batches).sort().values.tolist() == list(range(n))
    assert max(map(len, batches)) <= size


def test_batches_are_of_similar_length_in_another_order_each_epoch():
    lengths = torch.randint(5, 60, (2000,), generator=torch.Generator().manual_seed(0))
    batches = shuffled_batches(lengths, 32, seed=1)
    padded = sum(len(b) * int(lengths[b].max()) for b in batches)
    assert padded < 1.15 * int(lengths.sum())
    other = shuffled_batches(lengths, 32, seed=2)
    assert not torch.equal(torch.cat(batches), torch.cat(other))
    assert torch.equal(torch.cat(batches), torch.cat(shuffled_batches(lengths, 32, seed=1)))
    first = [int(lengths[b].max()) for b in batches[:8]]
    assert first != sorted(first), "short texts would come first in every epoch"


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    folder = tmp_path_factory.mktemp("encoder")
    with open_labelled(None, "sst2") as data:
        write_tiny(folder, [text for text, _ in data.train], size=TinySize(32, 1, 2))
        backbone = load_backbone(folder)
        part = encoded(backbone, data.dev[:90], 64)

    def make(method, dtype=torch.float32):
        torch.manual_seed(0)
        classifier = Classifier(load_backbone(folder).model, method)
        return Scores(classifier, {"dev": part}, 0, Machine(CPU, dtype))

    return make


def test_frozen_encoders_read_ahead_and_bfloat16_says_nearly_the_same(scores):
    head = scores("head")
    seen = []
    head.read(lambda done, texts: seen.append((done, texts)))
    assert seen == [(0, 90), (64, 90), (90, 90)]
    tokens = head._tokens("dev", torch.arange(90))
    with torch.no_grad():
        logits = head.classifier.eval()(tokens)
    torch.testing.assert_close(head.all_logits("dev"), logits)
    exact, fast = scores("full").all_logits("dev"), scores("full", torch.bfloat16).all_logits("dev")
    assert not torch.equal(exact, fast)
    torch.testing.assert_close(exact, fast, atol=0.02, rtol=0.1)


def test_a_method_that_trains_inside_reads_nothing_ahead_and_drops_nothing(scores):
    full = scores("full")
    full.read(lambda *_: pytest.fail("it reads each text in each epoch"))
    assert full.pooled == {}
    full.classifier.train()
    assert torch.equal(full.all_logits("dev"), full.all_logits("dev"))
    assert full.classifier.training, "training goes on"
    assert not full.all_logits("dev").requires_grad


def test_scalars_tell_loss_rate_and_dev():
    from tests.reports.test_classifier_page import training

    tags = {tag for tag, _, _ in training_scalars(training("full", 10, 2))}
    assert tags == {"loss", "learning_rate", "dev/loss", "dev/accuracy"}
    assert ("dev/accuracy", 2, 0.72) in training_scalars(training("full", 10, 2))


@pytest.fixture
def weight():
    return nn.Parameter(torch.tensor([0.0]))


def walk(averages, weight, values):
    for value in values:
        with torch.no_grad():
            weight.fill_(value)
        averages.update()


def test_mean_is_plain_at_first_then_forgets_and_goes_on_when_saved(weight):
    averages = Averages({"w": weight}, 0.75)
    walk(averages, weight, [1.0, 2.0, 3.0, 6.0])
    assert float(averages.means["w"]) == pytest.approx(3.0)
    walk(averages, weight, [7.0])
    assert float(averages.means["w"]) == pytest.approx(0.75 * 3.0 + 0.25 * 7.0)
    first, second = Averages({"w": weight}, 0.9), Averages({"w": weight}, 0.9)
    walk(first, weight, [1.0, 2.0])
    second.load(**first.state())
    for averages in (first, second):
        walk(averages, weight, [5.0])
    assert torch.equal(first.means["w"], second.means["w"])


@pytest.mark.parametrize(("decay", "mean"), [(0.9, 2.0), (0.0, 3.0)])
def test_mean_is_in_place_within_the_block_alone(weight, decay, mean):
    """Without decay the weights are their own mean, and nothing is kept of them."""
    averages = Averages({"w": weight}, decay)
    walk(averages, weight, [1.0, 3.0])
    with averages.in_place():
        assert float(weight.detach()) == mean
    assert float(weight.detach()) == 3.0
    assert bool(averages.state()["means"]) == (decay > 0)
