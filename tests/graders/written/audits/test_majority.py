import pytest
from scipy.stats import binom, hypergeom

from graders.written.audits.majority import (
    Split,
    better_than_majority,
    chance_range,
    least_better,
    majority_class,
)
from graders.written.audits.reading.figure import figure_in

DEV, TEST = Split(3270, 2033), Split(1427, 5874, 9427)
SST_DEV, SST_TEST = Split(872, 444), Split(1821, 912)


@pytest.mark.parametrize(
    ("split", "least"), [(DEV, 2098), (TEST, 933), (SST_DEV, 479), (SST_TEST, 963)]
)
def test_the_fewest_that_beat_the_majority(split, least):
    assert least_better(split) == least


@pytest.mark.parametrize("k", [0, 1, 436, 444, 479, 872])
def test_the_binomial_is_exact(k):
    exact = binom.sf(k - 1, 872, 444 / 872)
    assert better_than_majority(k, SST_DEV) == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize(
    "split", [TEST, Split(100, 620, 1000), Split(50, 50, 60), Split(10, 20, 1000)]
)
def test_the_range_of_a_random_split_is_the_hypergeometric_one(split):
    exact = hypergeom(split.population, split.majority, split.items).ppf([0.025, 0.975])
    assert chance_range(split) == tuple(exact)


def test_a_random_boolq_split_has_856_to_922():
    assert chance_range(TEST) == (856, 922)


@pytest.mark.parametrize(
    "text", ["0.6271899088997898", "0.6194814295725298", "0.6187806587245971", "0.5998598458304134"]
)
def test_the_documents_test_accuracies_are_chance(text):
    assert majority_class(figure_in(text), "test", TEST).id == "chance-range"


@pytest.mark.parametrize(
    ("text", "split"), [("0.6217125382262997", DEV), ("62.17%", DEV), (".5092", SST_DEV)]
)
def test_a_constant_predictor_is_flagged(text, split):
    finding = majority_class(figure_in(text), "dev", split)
    assert (finding.id, finding.severity) == ("majority-class", "suspicious")


def test_a_little_above_the_majority_is_not_better():
    assert majority_class(figure_in("2097/3270"), "dev", DEV).id == "not-better-than-majority"
    assert majority_class(figure_in("2098/3270"), "dev", DEV) is None


@pytest.mark.parametrize(
    ("text", "split"),
    [("0.7091743119266055", DEV), ("0.6923615977575333", TEST), ("93.23", SST_DEV)],
)
def test_real_learning_is_not_flagged(text, split):
    assert majority_class(figure_in(text), "dev", split) is None


def test_nothing_is_said_of_few_digits():
    assert majority_class(figure_in(".6"), "dev", DEV) is None


def test_few_digits_below_the_majority_show_no_learning():
    assert majority_class(figure_in("12%"), "dev", DEV).id == "not-better-than-majority"
    assert majority_class(figure_in("62%"), "dev", DEV) is None
