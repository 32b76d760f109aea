"""The checks of span corruption pass the reference in every edition of the handout."""

import pytest

from tests.graders.assignments.test_corruption_checks import broken, reader_of

EDITION = """
from reference.data.corruption import CharCorruptionDataset as Reference
from reference.data.edition import Edition


class CharCorruptionDataset(Reference):
    def __init__(self, data, block_size):
        super().__init__(data, block_size, Edition({length!r}, {marker!r}, {limit!r}))
"""


@pytest.mark.parametrize("length", ["block", "block+1"])
@pytest.mark.parametrize("marker", ["none", "optional", "required"])
@pytest.mark.parametrize("limit", ["7/8", "3/4"])
def test_reference_is_right_in_every_edition(tmp_path, length, marker, limit):
    file = tmp_path / "dataset.py"
    file.write_text(EDITION.format(length=length, marker=marker, limit=limit))
    settings = {"sequence_length": length, "end_marker": marker, "length_limit": limit}
    assert broken(reader_of(file, settings)) == []


def test_editions_are_told_apart(tmp_path):
    file = tmp_path / "dataset.py"
    file.write_text(EDITION.format(length="block", marker="required", limit="3/4"))
    lost = set(broken(reader_of(file)))
    assert {"test_items_have_block_length", "test_masks_then_pads"} <= lost
