import pytest

from graders.written.audits.reading.runs import report_of
from graders.written.question import Unreadable
from graders.written.verifiers.reported.curve import (
    curve_of,
    epoch_finding,
    length_finding,
    overfits,
)


def drawn(epochs, best, start=0):
    rows = [f"{at + start},{0.9 - abs(at - best) / 100},{0.93 - at / 100}" for at in range(epochs)]
    return "epoch,train_acc,val_acc\n" + "\n".join(rows)


def test_a_curve_has_as_many_epochs_as_stated():
    curve = curve_of(report_of(drawn(10, 7)).runs)
    assert length_finding(curve, [10, 20]).severity == "fine"
    assert length_finding(curve, [20]).id == "curve-length"
    holes = curve_of(report_of(drawn(10, 7).replace("\n4,", "\n40,")).runs)
    assert length_finding(holes, [10]).id == "curve-order"


@pytest.mark.parametrize(
    ("start", "stated", "from_zero", "right"),
    [
        (0, 7, False, True), (0, 8, False, True), (0, 6, False, False), (0, 9, False, False),
        (1, 8, False, True), (1, 7, False, False), (1, 7, True, True), (1, 6, True, False),
    ],
)  # fmt: skip
def test_the_best_epoch_counts_from_zero_or_one(start, stated, from_zero, right):
    curve = curve_of(report_of(drawn(10, 7, start)).runs)
    finding = epoch_finding(curve, "train", stated, from_zero)
    assert (finding.severity == "fine") == right


def test_a_curve_that_overfits_is_told():
    assert not overfits(curve_of(report_of(drawn(10, 7)).runs))
    assert overfits(curve_of(report_of(drawn(10, 9).replace("0.9,", "0.99,")).runs))


@pytest.mark.parametrize(
    ("train", "dev", "fraction"),
    [("8th", "first", 1), ("epoch 7", "0", 1), ("index 7", "1st (index 0)", 1), ("3", "5", 1 / 3)],
)
def test_stated_epochs_are_held_to_the_curve_of_another_answer(judge, train, dev, fraction):
    judged = judge(
        "reported_curve",
        {"train_epoch": train, "dev_epoch": dev},
        others={"Q4.1": {"curve": drawn(10, 7)}},
        curve_from="Q4.1",
        epochs=[10, 20],
        points={"length": 1, "train_epoch": 1, "dev_epoch": 1},
    )
    assert judged.fraction == pytest.approx(fraction)


def test_a_denied_epoch_is_read_by_a_person(judge):
    settings = {"points": {"train_epoch": 1}, "epochs": [10]}
    with pytest.raises(Unreadable, match="epoch"):
        judge("reported_curve", {"train_epoch": "not 8", "curve": drawn(10, 7)}, **settings)
    parts = {"train_epoch": "8, which is not the last", "curve": drawn(10, 7)}
    assert judge("reported_curve", parts, **settings).fraction == 1


def test_a_curve_states_batch_size_and_overfits(judge):
    text = "epoch,train,dev\n" + "\n".join(f"{e},{0.7 + e / 100},0.7" for e in range(1, 31))
    settings = {"epochs": [30], "stated": ["batch_size"]}
    points = {"length": 1, "columns": 1, "overfits": 1, "stated": 1}
    answer = text + "\n\nThe largest batch size that fitted was batch_size = 64."
    assert judge("reported_curve", {"curve": answer}, points=points, **settings).fraction == 1
    judged = judge("reported_curve", {"curve": text}, points=points, **settings)
    assert (judged.fraction, "batch_size" in judged.message) == (0.75, True)
    zero = judge("reported_curve", {"curve": f"{text}\n\nbatch size 0"}, points=points, **settings)
    assert (zero.fraction, "not a positive number" in zero.message) == (0.75, True)
    parts = {"curve": text, "batch_size": "64"}
    assert judge("reported_curve", parts, points=points, **settings).fraction == 1
