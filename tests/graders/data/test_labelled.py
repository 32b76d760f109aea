"""Labelled files are read unchanged, or refused with file, line and remedy."""

import json
from pathlib import Path

import pytest

from graders.data.labelled import open_labelled, read_labelled
from graders.errors import UsageError
from reference.data.sentiment import write_sentiment
from tests.conftest import write_files

SHARED = Path(__file__).parents[4] / "shared" / "data"
TSV = ("train.tsv", "dev.tsv", "test.tsv")
STSA = ("stsa.binary.train", "stsa.binary.dev", "stsa.binary.test")
QUESTION = {"question": "is it good", "passage": "the plot was dull"}


def questions(n, first=0, **answer):
    rows = [QUESTION | {"passage": f"passage {first + i}"} | answer for i in range(n)]
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.mark.parametrize(("kind", "positive"), [("sst2", 509), ("boolq", 626)])
def test_embedded_task_has_the_majority_of_its_kind(kind, positive):
    with open_labelled(None, kind, seed=3) as data:
        assert data.embedded
        assert [len(part) for part in (data.train, data.dev, data.test)] == [2000, 500, 1000]
        assert sum(label for _, label in data.test) == positive
        assert data.description.startswith(f"built-in sample dataset ({kind}): 2000 train")
    assert not data.folder.exists()
    with open_labelled(None, kind, seed=3) as same, open_labelled(None, kind, seed=1) as other:
        assert data.fingerprint == same.fingerprint != other.fingerprint


def test_fingerprint_tells_kinds_apart():
    with open_labelled(None, "sst2", seed=0) as sst2, open_labelled(None, "boolq", seed=0) as boolq:
        assert sst2.fingerprint != boolq.fingerprint


@pytest.mark.parametrize("names", [TSV, STSA])
def test_both_forms_of_sst2_are_read(tmp_path, names):
    line = "a film , with\ta tab	1\n" if names is TSV else "1 a film , with\ta tab\n"
    write_files(tmp_path, dict.fromkeys(names, line))
    assert read_labelled(tmp_path, "sst2").dev == (("a film , with\ta tab", 1),)


def test_sentences_with_punctuation_are_preferred(tmp_path):
    files = dict.fromkeys(TSV, "bad film\t0\n") | dict.fromkeys(STSA, "0 bad film .\n")
    data = read_labelled(write_files(tmp_path, files), "sst2")
    assert data.test == (("bad film .", 0),)
    assert "stsa.binary files, given with --data" in data.description


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ({"label": "true"}, 1), ({"label": "false"}, 0), ({"label": True}, 1),
        ({"answer": False}, 0), ({"answer": True}, 1),
    ],
)  # fmt: skip
def test_boolq_answers_of_both_editions_are_read(tmp_path, answer, label):
    files = {"train.jsonl": questions(1), "dev.jsonl": questions(1, **answer)}
    files["train.jsonl"] = files["test.jsonl"] = files["dev.jsonl"]
    data = read_labelled(write_files(tmp_path, files), "boolq")
    assert data.dev == ((("is it good", "passage 0"), label),)


def test_val_alone_is_split_once_and_said(tmp_path):
    write_files(tmp_path, {"val.jsonl": questions(100, label="true")})
    data = read_labelled(tmp_path, "boolq", seed=4)
    assert [len(part) for part in (data.train, data.dev, data.test)] == [70, 10, 20]
    assert len({text for part in (data.train, data.dev, data.test) for text, _ in part}) == 100
    assert "val.jsonl alone, split by seed 4" in data.description
    assert read_labelled(tmp_path, "boolq", seed=4).test == data.test
    assert read_labelled(tmp_path, "boolq", seed=5).test != data.test


def test_unanswered_test_file_is_replaced_by_a_draw(tmp_path):
    """SuperGLUE's test.jsonl has no labels: the test is drawn from train.jsonl, as JHU does."""
    train, dev = questions(100, label="true"), questions(9, first=100, label="false")
    write_files(tmp_path, {"train.jsonl": train, "val.jsonl": dev, "test.jsonl": questions(7)})
    data = read_labelled(tmp_path, "boolq")
    assert [len(part) for part in (data.train, data.dev, data.test)] == [85, 9, 15]
    assert not set(data.train) & set(data.test)
    assert "test drawn from train.jsonl by seed 0" in data.description


@pytest.mark.parametrize(
    ("kind", "files", "said"),
    [
        ("sst2", {}, "contains no sentences"),
        ("sst2", {"train.tsv": "good\t1\n"}, "dev.tsv: the file is missing"),
        ("sst2", dict.fromkeys(TSV, "good\t1\nbad 0\n"), "train.tsv: line 2 is not a sentence, a"),
        ("sst2", dict.fromkeys(TSV, "good\t2\n"), "line 1 is not a sentence, a tab and a label"),
        ("sst2", dict.fromkeys(STSA, "1 good\n-1 bad\n"), "train: line 2 is not a label 0 or 1"),
        ("sst2", dict.fromkeys(TSV, ""), "the file is empty"),
        ("boolq", {"train.jsonl": "{}"}, "val.jsonl: the file is missing"),
        ("boolq", {"val.jsonl": questions(3) + "{"}, "line 1 is not a JSON object with"),
        ("boolq", {"val.jsonl": questions(1, label="true") + "[]"}, "line 2 is not a JSON object"),
        ("boolq", {"val.jsonl": questions(1, label="true") + "{"}, "line 2 is not a JSON object"),
        ("boolq", {"val.jsonl": questions(1, label="yes")}, "line 1 is not a JSON object"),
        ("boolq", {"val.jsonl": questions(9, label="true")}, "9 questions are too few"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path, kind, files, said):
    with pytest.raises(UsageError) as error:
        read_labelled(write_files(tmp_path, files), kind)
    assert said in str(error.value)
    assert str(tmp_path) in str(error.value)
    assert error.value.hint


def test_missing_folder_is_named(tmp_path):
    with pytest.raises(UsageError, match="there is no such folder") as error:
        read_labelled(tmp_path / "nowhere", "boolq")
    assert "--data DIR must contain train.jsonl" in error.value.hint


def test_windows_files_are_read_the_same(tmp_path):
    write_sentiment(tmp_path / "unix", "sst2")
    (tmp_path / "windows").mkdir()
    for name in TSV:
        text = (tmp_path / "unix" / name).read_text(encoding="utf-8").replace("\n", "\r\n")
        (tmp_path / "windows" / name).write_bytes(b"\xef\xbb\xbf" + text.encode())
    a, b = (read_labelled(tmp_path / name, "sst2") for name in ("unix", "windows"))
    assert a.fingerprint == b.fingerprint


@pytest.mark.skipif(not SHARED.is_dir(), reason="the course's files are not here")
def test_real_files_have_their_published_sizes():
    sst2 = read_labelled(SHARED / "sst2", "sst2")
    assert [len(part) for part in (sst2.train, sst2.dev, sst2.test)] == [6920, 872, 1821]
    assert sum(label for _, label in sst2.dev) == 444
    boolq = read_labelled(SHARED / "boolq", "boolq")
    assert [len(part) for part in (boolq.train, boolq.dev, boolq.test)] == [2289, 327, 654]
