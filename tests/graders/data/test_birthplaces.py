from pathlib import Path

import pytest

from graders.data.birthplaces import REQUIRED, TEST, open_data, read_data
from graders.errors import UsageError
from reference.data.world import write_world

COURSE_FILES = Path(__file__).parents[4] / "shared" / "data" / "birthplaces"


@pytest.fixture
def folder(tmp_path):
    write_world(tmp_path, 0)
    return tmp_path


def test_embedded_world_is_there_while_it_is_open():
    with open_data(None) as data:
        assert data.embedded
        assert data.folder.is_dir()
        assert (len(data.train), len(data.dev), len(data.test)) == (80, 60, 60)
    assert not data.folder.exists()


def test_given_folder_is_read(folder):
    with open_data(folder) as data:
        assert not data.embedded
        assert data.dev.count("London") == 3
    assert folder.is_dir()


def test_equal_data_have_equal_fingerprints(folder):
    with open_data(None) as embedded:
        assert read_data(folder).fingerprint == embedded.fingerprint
    with open_data(None, seed=1) as other:
        assert other.fingerprint != read_data(folder).fingerprint


def test_test_answers_may_be_missing_and_the_description_says_so(folder):
    assert "given with --data: 80 train, 60 dev, 60 test, sha256" in read_data(folder).description
    (folder / TEST).unlink()
    data = read_data(folder)
    assert "no test answers" in data.description
    assert (data.test, len(data.test_questions)) == (None, 60)


def test_missing_file_and_folder_are_named(folder):
    for name in REQUIRED:
        content = (folder / name).read_bytes()
        (folder / name).unlink()
        with pytest.raises(UsageError, match=name) as error:
            read_data(folder)
        assert "--data DIR" in error.value.hint
        (folder / name).write_bytes(content)
    with pytest.raises(UsageError, match="no such folder"):
        read_data(folder / "nowhere")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("birth_dev.tsv", b"Where was Ada born?  Rome\n", "line 1 is not a question, a tab"),
        ("birth_dev.tsv", b"Where was Ada born?\tRome\n\n", "line 2"),
        ("birth_dev.tsv", b"", "empty"),
        ("birth_dev.tsv", b"Where was Ada born?\tM\xe1laga\n", "not UTF-8 at byte 21"),
        ("birth_test.tsv", b"Where was Ada born?\tRome\n", "1 answers for the 60"),
    ],
)
def test_malformed_file_is_named(folder, name, content, words):
    (folder / name).write_bytes(content)
    with pytest.raises(UsageError, match=f"{name}.*{words}"):
        read_data(folder)


def test_answers_to_other_questions_are_refused(folder):
    lines = (folder / TEST).read_text().splitlines()
    lines[4], lines[7] = lines[7], lines[4]
    (folder / TEST).write_text("\n".join(lines) + "\n")
    with pytest.raises(UsageError, match="line 5 answers another question"):
        read_data(folder)


def test_byte_order_mark_and_crlf_are_no_part_of_places(folder):
    before = read_data(folder)
    for name in ("birth_dev.tsv", "birth_test_inputs.tsv"):
        content = (folder / name).read_bytes().replace(b"\n", b"\r\n")
        (folder / name).write_bytes(b"\xef\xbb\xbf" + content)
    after = read_data(folder)
    assert (after.dev, after.test_questions) == (before.dev, before.test_questions)


@pytest.mark.data
@pytest.mark.skipif(
    not COURSE_FILES.is_dir(), reason="the course's files are not in ../shared/data/birthplaces"
)
def test_course_files_are_read():
    data = read_data(COURSE_FILES)
    assert (len(data.train), len(data.dev), len(data.test)) == (2000, 500, 437)
    assert (data.dev.count("London"), data.test.count("London")) == (25, 20)
