import io
import warnings

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from graders.adapting.devices import on_cpu
from graders.adapting.moves import Moves, moves_tensors, moving

CPU = torch.device("cpu")
ONES = torch.ones(2, 2)

TENSORS = {
    "zeros": lambda: torch.zeros(2, device="cuda"),
    "tensor": lambda: torch.tensor([1.0], device="mps"),
    "arange": lambda: torch.arange(3, device=torch.device("cuda:0")),
    "tril": lambda: torch.tril(torch.ones(2, 2, device="cuda:1")),
    "full": lambda: torch.full((2,), 1.0, device=torch.device("mps")),
    "rand": lambda: torch.rand(2, device="cuda"),
    "by number": lambda: torch.zeros(2, device=0),
    "new": lambda: ONES.new_zeros(2, device="cuda"),
    "like": lambda: torch.zeros_like(ONES, device="cuda"),
    "legacy": lambda: torch.cuda.FloatTensor(2, 2).fill_(1),
    "numpy": lambda: torch.from_numpy(np.ones(2)).to("cuda"),
    "as": lambda: torch.as_tensor([1], device="cuda"),
    "to": lambda: ONES.to("cuda"),
    "to named": lambda: ONES.to(device=torch.device("cuda:0")),
    "to number": lambda: ONES.to(0),
    "to with type": lambda: ONES.to("cuda", torch.float64),
    "to without waiting": lambda: ONES.to(torch.device("cuda"), non_blocking=True),
    "cuda": lambda: ONES.cuda(),
    "cuda number": lambda: ONES.cuda(0, non_blocking=True),
    "pinned": lambda: ONES.pin_memory(),
    "parameter": lambda: nn.Parameter(torch.ones(2, device="cuda")),
    "layer": lambda: nn.Linear(2, 2, device="cuda").weight,
    "module to": lambda: nn.Linear(2, 2).to("cuda").weight,
    "module to device": lambda: nn.Linear(2, 2).to(device=torch.device("cuda")).weight,
    "module to number": lambda: nn.Linear(2, 2).to(0).weight,
    "module to type": lambda: nn.Linear(2, 2).to(torch.float64).weight,
    "module cuda": lambda: nn.Sequential(nn.Linear(2, 2)).cuda()[0].weight,
    "generator": lambda: torch.rand(2, generator=torch.Generator(device="cuda").manual_seed(1)),
}


@pytest.mark.parametrize("way", TENSORS)
def test_gpu_means_cpu(way):
    with on_cpu():
        assert TENSORS[way]().device == CPU


def test_gpu_means_cpu_also_where_a_check_looks_on(monkeypatch):
    to = torch.Tensor.to
    monkeypatch.setattr(torch.Tensor, "to", lambda tensor, *args: to(tensor, *args))
    with on_cpu():
        assert ONES.to("cuda").device == CPU


def test_nothing_else_changes_and_default_device_means_cpu():
    with on_cpu():
        assert ONES.to(torch.float64).dtype is torch.float64
        assert ONES.to(ONES.double()).dtype is torch.float64
        assert ONES.to("cuda") is ONES
        assert torch.zeros(1, device="meta").device.type == "meta"
        assert nn.Linear(2, 2).to(torch.float64).weight.dtype is torch.float64
        assert isinstance(torch.default_generator, torch.Generator)
    with on_cpu():
        with torch.device("cuda"):
            assert torch.zeros(1).device == CPU
        torch.set_default_device("cuda")
        try:
            assert torch.zeros(1).device == CPU
        finally:
            torch.set_default_device(None)
    before = torch.cuda.is_available()
    with on_cpu():
        assert torch.cuda.is_available() is before


def test_calls_of_the_driver_do_not_raise():
    with on_cpu():
        torch.cuda.empty_cache()
        torch.cuda.synchronize()
        torch.cuda.manual_seed(1)
        torch.cuda.manual_seed_all(1)
        torch.cuda.set_device(0)
        torch.cuda.reset_peak_memory_stats()
        assert torch.cuda.max_memory_allocated() == torch.cuda.memory_allocated() == 0
        assert torch.cuda.get_device_name(0) == "cpu"
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        end.synchronize()
        assert start.elapsed_time(end) == 0
        torch.mps.empty_cache()
        torch.mps.synchronize()


@pytest.mark.parametrize(
    "cast",
    [
        lambda: torch.amp.autocast("cuda"),
        lambda: torch.cuda.amp.autocast(),
        lambda: torch.autocast(device_type="cuda", dtype=torch.float16),
    ],
)
def test_mixed_precision_is_left_out(cast):
    with on_cpu(), cast():
        assert nn.Linear(2, 2)(ONES).dtype is torch.float32


@pytest.mark.parametrize(
    "scaler",
    [
        lambda: torch.amp.GradScaler("cuda"),
        lambda: torch.cuda.amp.GradScaler(),
        torch.amp.GradScaler,
    ],
)
def test_scaler_takes_a_plain_step(scaler):
    weight = nn.Parameter(torch.ones(1))
    with on_cpu():
        scale, optimizer = scaler(), torch.optim.SGD([weight], lr=0.5)
        scale.scale(weight.sum()).backward()
        scale.unscale_(optimizer)
        scale.step(optimizer)
        scale.update()
    assert weight.item() == 0.5


def test_checkpoint_and_batch_encoding_stay_on_the_cpu():
    file = io.BytesIO()
    torch.save(ONES, file)
    for place in ("cuda", torch.device("cuda"), None, "cpu"):
        file.seek(0)
        with on_cpu():
            assert torch.load(file, map_location=place).device == CPU
    encoding = pytest.importorskip("transformers").BatchEncoding({"input_ids": ONES})
    with on_cpu():
        assert encoding.to("cuda")["input_ids"].device == CPU
        assert encoding.to(torch.device("cuda"))["input_ids"].device == CPU


def fail_inside():
    with on_cpu():
        with on_cpu():
            assert ONES.to("cuda").device == CPU
        assert ONES.to("cuda").device == CPU
        raise KeyError


def test_all_is_as_before_afterwards():
    names = ("synchronize", "empty_cache", "manual_seed", "Event", "max_memory_allocated")
    before = [getattr(torch.cuda, name) for name in names]
    originals = (
        torch.load,
        torch.Generator,
        torch.set_default_device,
        nn.Module.to,
        warnings.filters[:],
    )
    with pytest.raises(KeyError):
        fail_inside()
    assert [getattr(torch.cuda, name) for name in names] == before
    assert (torch.load, torch.Generator, torch.set_default_device, nn.Module.to) == originals[:4]
    assert warnings.filters[:] == originals[4]
    if not torch.cuda.is_available():
        with pytest.raises((AssertionError, RuntimeError)):
            torch.zeros(1, device="cuda")


def _met(use):
    """Return whether tensors of both places meet when a batch of a loader is used."""
    with on_cpu(), Moves() as moves:
        batch = moves.loaded({"logits": torch.ones(3, 2), "labels": torch.tensor([0, 1, 1])})
        use(batch["logits"], batch["labels"])
    return moves.met


FORGOTTEN = {
    "labels": lambda logits, labels: F.cross_entropy(logits.to("cuda"), labels),
    "logits": lambda logits, labels: nn.CrossEntropyLoss()(logits, labels.cuda()),
    "unassigned": lambda logits, labels: (labels.to("cuda"), logits.cuda().argmax(1) == labels),
    "later": lambda logits, labels: torch.eq(logits.to(0).exp().max(1)[1], labels.long()),
    "like": lambda logits, labels: F.cross_entropy(logits.cuda(), labels.to(labels)),
    "named": lambda logits, labels: torch.zeros_like(labels, device="cuda") != labels,
}
CAREFUL = {
    "both": lambda logits, labels: F.cross_entropy(logits.to("cuda"), labels.cuda()),
    "neither": lambda logits, labels: F.cross_entropy(logits, labels.view(-1)),
    "back": lambda logits, labels: logits.cuda().argmax(1).cpu() == labels,
    "back by name": lambda logits, labels: logits.cuda().argmax(1).to("cpu") == labels,
    "where the other is": lambda logits, labels: logits.cuda().argmax(1) == labels.to(device=CPU),
    "like the other": lambda logits, labels: logits.cuda().argmax(1) == labels.to(logits.cuda()),
    "type": lambda logits, labels: (labels.type(), labels.to(torch.int32) == labels),
    "index": lambda logits, labels: logits.cuda()[range(3), labels] == 1,
    "number": lambda logits, labels: labels[0] == logits.cuda().argmax(1),
    "numpy": lambda logits, labels: logits.cuda().argmax(1).numpy() == labels.numpy(),
    "in place": lambda logits, labels: labels.cuda().copy_(labels) == labels,
}


@pytest.mark.parametrize("way", FORGOTTEN)
def test_tensor_left_on_the_cpu_is_seen(way):
    assert _met(FORGOTTEN[way])


@pytest.mark.parametrize("way", CAREFUL)
def test_batch_that_is_moved_as_a_whole_is_not_reported(way):
    assert not _met(CAREFUL[way])


class _Model(nn.Module):
    def forward(self, ids, mask=None, labels=None):
        return ids.sum()


def _taken_in(use):
    """Return what a model's inputs show when a batch of a loader is used."""
    model, moves = _Model(), Moves()
    with on_cpu(), moving(model, moves):
        batch = moves.loaded({"ids": torch.ones(3, 2), "labels": torch.tensor([0, 1, 1])})
        use(model, batch["ids"], batch["labels"])
    return moves


def test_labels_that_move_without_the_inputs_are_seen_and_those_left_behind_are_not():
    # transformers moves labels to the logits by itself
    assert _taken_in(lambda model, ids, labels: model(ids, labels=labels.cuda())).met
    assert _taken_in(lambda model, ids, labels: model(ids.cuda(), mask=ids)).met
    assert not _taken_in(lambda model, ids, labels: model(ids.cuda(), labels=labels)).met
    assert not _taken_in(lambda model, ids, labels: model(ids, mask=ids, labels=labels)).met


def test_loop_is_left_behind_only_if_the_other_one_moves_its_batches():
    stays = _taken_in(lambda model, ids, labels: model(ids))
    moved = _taken_in(lambda model, ids, labels: model(ids.to("cuda")))
    unknown = _taken_in(lambda model, ids, labels: model(ids.cpu()))
    assert stays.is_left_behind(moved)
    assert not any(moves.is_left_behind(stays) for moves in (stays, moved, unknown))
    assert not any(moves.is_left_behind(moved) for moves in (moved, unknown))


def test_code_that_may_move_tensors_is_known_by_its_words():
    class Moving:
        def collate(self, rows):
            return torch.stack(rows).to("cuda")

    class Named:
        def collate(self, rows):
            return torch.zeros(len(rows), device="cuda")

    assert moves_tensors(Moving)
    assert moves_tensors(Named.collate)
    assert not moves_tensors(_Model)
