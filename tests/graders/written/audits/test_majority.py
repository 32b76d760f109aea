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
    assert chance_range(TEST) == (856, 922)


@pytest.mark.parametrize(
    ("text", "split", "finding"),
    [
        *((text, TEST, "chance-range") for text in ("0.6271899088997898", "0.5998598458304134")),
        *((text, DEV, "majority-class") for text in ("0.6217125382262997", "62.17%")),
        *((".5092", SST_DEV, "majority-class"), ("2097/3270", DEV, "not-better-than-majority")),
        *(("2098/3270", DEV, None), ("0.7091743119266055", DEV, None), ("93.23", SST_DEV, None)),
        *((".6", DEV, None), ("62%", DEV, None), ("12%", DEV, "not-better-than-majority")),
    ],
)
def test_an_accuracy_without_learning_is_flagged(text, split, finding):
    """The documents' own accuracies are among them; two digits say little."""
    found = majority_class(figure_in(text), "test", split)
    assert (found and found.id) == finding
    assert found is None or found.severity == "suspicious"
