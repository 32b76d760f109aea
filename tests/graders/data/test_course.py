"""Each assignment's checks get data of its own kind."""

from typing import get_args

import pytest

from graders.boundary.tiers.sandbox import Tier
from graders.data.course import describe_data, holds_data, open_course_data
from graders.errors import GraderFault, UsageError
from graders.grading.cache_key import keys_of
from graders.grading.options import Options
from graders.grading.precheck import precheck_options
from graders.model import DataKind
from graders.registry.discovery import load_assignment
from tests.conftest import edit, write_files

KINDS = [kind for kind in get_args(DataKind) if kind != "files"]
SST2 = {f"{part}.tsv": "a fine film\t1\na dull film\t0" for part in ("train", "dev", "test")}


@pytest.fixture
def folder(tmp_path):
    return lambda files: write_files(tmp_path, files)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_something_embedded_and_a_folder_of_another_is_refused(kind, folder):
    with open_course_data(kind, None) as data:
        assert data.embedded
        assert len(data.dev) >= 50
    with (
        pytest.raises(UsageError, match=r"missing|contains no sentences"),
        open_course_data(kind, folder({})),
    ):
        pass


def test_the_files_given_are_taken_and_tell_their_kind(folder):
    place = folder(SST2)
    with open_course_data("sst2", place) as data:
        assert not data.embedded
        assert data.test == (("a fine film", 1), ("a dull film", 0))
    assert [kind for kind in KINDS if holds_data(kind, place)] == ["sst2"]
    assert "2 test" in describe_data(place)
    (place / "train.tsv").unlink()
    assert not holds_data("sst2", place)


def test_a_result_is_of_the_data_of_its_kind(tiny_folder, tmp_path):
    """Results are looked up by what they are of: other labels, another Result."""
    edit(tiny_folder / "assignment.toml", "seed = 7", 'seed = 7\ndata = "sst2"')
    task, folder = load_assignment(str(tiny_folder)), tmp_path / "labels"
    folder.mkdir()
    sums = set()
    for label in "01":
        for part in ("train", "dev", "test"):
            (folder / f"{part}.tsv").write_text(f"a film\t{label}")
        sums.add(keys_of(task, Options(Tier.NONE, folder)).data)
    assert len(sums | {keys_of(task, Options(Tier.NONE)).data}) == 3


def test_assignments_name_their_data(tiny_folder):
    file = tiny_folder / "assignment.toml"
    edit(file, "seed = 7", 'seed = 7\ndata = "boolq"')
    assert load_assignment(str(tiny_folder)).data == "boolq"
    edit(file, "boolq", "wikipedia")
    with pytest.raises(UsageError, match="`data`"):
        load_assignment(str(tiny_folder))


def test_students_metrics_are_judged_where_the_files_lie(tiny_folder, folder):
    edit(tiny_folder / "assignment.toml", "seed = 7", 'seed = 7\ndata = "sst2"')
    edit(tiny_folder / "checks.py", "(submitted, score)", "(submitted, score, data)")
    task, place = load_assignment(str(tiny_folder)), folder(SST2)
    plan = precheck_options(task, place, Tier.NONE, data=None, only=None)
    assert plan.options.data == place
    (place / "dev.tsv").unlink()
    plan = precheck_options(task, place, Tier.NONE, data=None, only=None)
    assert plan.options.only == {"double"}


def test_checks_of_an_author_read_files_of_their_own(tiny_folder, folder):
    edit(tiny_folder / "assignment.toml", "seed = 7", 'seed = 7\ndata = "files"')
    task, place = load_assignment(str(tiny_folder)), folder({"gold.txt": "a b"})
    with open_course_data(task.data, place) as data:
        assert data.text("gold.txt") == "a b"
    keys = {keys_of(task, Options(Tier.NONE, path)).data for path in (place, None)}
    (place / "gold.txt").write_text("a c")
    assert len(keys | {keys_of(task, Options(Tier.NONE, place)).data}) == 3


@pytest.mark.parametrize("given", [True, False])
def test_a_file_that_is_missing_is_no_fault_of_the_student(folder, given):
    with open_course_data("files", folder({}) if given else None) as data:
        assert "--data" in data.description
        with pytest.raises(GraderFault, match=r"`gold\.txt`.*--data"):
            data.text("gold.txt")
