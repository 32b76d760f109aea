"""The settings of an edition, and their consequences."""

import pytest

from reference.data.edition import STANFORD_2021, STANFORD_2024, XCS224N, Edition


def test_default_is_the_2024_edition():
    assert Edition() == STANFORD_2024 == Edition("block+1", "none", "7/8")


@pytest.mark.parametrize(
    ("edition", "block_size", "longest", "length", "marks"),
    [
        (STANFORD_2024, 128, 112, 128, 2),
        (STANFORD_2024, 50, 43, 50, 2),
        (STANFORD_2021, 128, 112, 127, 2),
        (XCS224N, 50, 37, 49, 3),
        (XCS224N, 128, 96, 127, 3),
        (Edition(end_marker="optional"), 128, 112, 128, 2),
    ],
)
def test_figures_of_known_editions(edition, block_size, longest, length, marks):
    assert edition.longest(block_size) == longest
    assert edition.example_length(block_size) == length
    assert edition.marks == marks
    assert edition.fits(block_size)


@pytest.mark.parametrize(
    ("edition", "smallest"),
    [(STANFORD_2024, 5), (STANFORD_2021, 9), (XCS224N, 9)],
)
def test_smallest_block_that_fits(edition, smallest):
    assert not edition.fits(smallest - 1)
    assert all(edition.fits(block_size) for block_size in range(smallest, 300))


@pytest.mark.parametrize(
    "wrong",
    [{"sequence_length": "block+2"}, {"end_marker": "never"}, {"length_limit": "1/2"}],
)
def test_unknown_setting_is_refused(wrong):
    (name,) = wrong
    with pytest.raises(ValueError, match=f"^{name} is `.*`, not one of "):
        Edition(**wrong)
