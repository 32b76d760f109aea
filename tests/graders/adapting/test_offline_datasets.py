"""The stand-in for `datasets`: what students do with splits, as the real library answers."""

import random

import pytest
import torch

from graders.adapting.offline import datasets
from graders.adapting.offline.datasets import Dataset, DatasetDict, load_dataset, set_rows

ROWS = [{"text": f"t{at}", "label": at % 3} for at in range(10)]


@pytest.fixture
def table():
    return Dataset.from_list(ROWS)


@pytest.fixture
def _own_rows(monkeypatch):
    monkeypatch.setattr(datasets, "ROWS", dict(datasets.ROWS))
    set_rows("gpt3mix/sst2", {"train": ROWS, "validation": ROWS[:4], "test": ROWS[4:]})
    set_rows("boolq", {"train": [{"question": "q", "passage": "p", "answer": True}]})


# ---------------------------------------------------------------- load_dataset


@pytest.mark.usefixtures("_own_rows")
def test_rows_that_were_set_are_loaded():
    splits = load_dataset("gpt3mix/sst2")
    assert {name: len(each) for name, each in splits.items()} == splits.num_rows
    assert splits.num_rows == {"train": 10, "validation": 4, "test": 6}
    assert splits["train"][3] == {"text": "t3", "label": 0}


@pytest.mark.usefixtures("_own_rows")
@pytest.mark.parametrize("name", [("glue", "sst2"), ("sst2",), ("stanfordnlp/sst2",)])
def test_other_editions_name_the_columns_their_way(name):
    assert load_dataset(*name)["train"][1] == {"sentence": "t1", "label": 1, "idx": 1}


@pytest.mark.usefixtures("_own_rows")
def test_setfit_has_the_label_as_text():
    assert load_dataset("SetFit/sst2")["train"][1] == {"text": "t1", "label": 1, "label_text": "1"}


@pytest.mark.usefixtures("_own_rows")
def test_boolq_has_an_answer_or_a_label():
    row = {"question": "q", "passage": "p"}
    assert load_dataset("google/boolq")["train"][0] == {**row, "answer": True}
    assert load_dataset("super_glue", "boolq")["train"][0] == {**row, "label": 1, "idx": 0}


@pytest.mark.usefixtures("_own_rows")
@pytest.mark.parametrize(
    ("split", "texts"),
    [
        ("train[:2]", ["t0", "t1"]),
        ("train[-1:]", ["t9"]),
        ("train[20%:40%]", ["t2", "t3"]),
        ("train[:1]+test[:1]", ["t0", "t4"]),
    ],
)
def test_split_expressions_are_understood(split, texts):
    assert load_dataset("gpt3mix/sst2", split=split)["text"] == texts


@pytest.mark.usefixtures("_own_rows")
def test_several_splits_at_once():
    first, second = load_dataset("gpt3mix/sst2", split=["validation", "test"])
    assert (len(first), len(second)) == (4, 6)
    assert len(load_dataset("gpt3mix/sst2", split="all")) == 20


@pytest.mark.usefixtures("_own_rows")
def test_unknown_split_is_a_value_error():
    with pytest.raises(ValueError, match="Unknown split 'dev'"):
        load_dataset("gpt3mix/sst2", split="dev")


def test_unknown_dataset_is_not_found():
    with pytest.raises(FileNotFoundError, match="imdb"):
        load_dataset("imdb")


def test_rows_are_there_before_any_are_set():
    assert load_dataset("boolq")["validation"].column_names == ["question", "passage", "answer"]


@pytest.mark.usefixtures("_own_rows")
def test_what_a_student_does_to_rows_stays_theirs():
    load_dataset("gpt3mix/sst2")["train"][0]["text"] = "changed"
    assert load_dataset("gpt3mix/sst2")["train"][0]["text"] == "t0"


# ---------------------------------------------------------------- reading


def test_every_kind_of_index(table):
    assert table[-1] == ROWS[-1]
    assert table[2:4] == {"text": ["t2", "t3"], "label": [2, 0]}
    assert table[[0, 9]]["text"] == table[torch.tensor([0, 9])]["text"] == ["t0", "t9"]
    assert table["label"] == [row["label"] for row in ROWS]
    assert table[torch.tensor(3)] == ROWS[3]
    assert table.__getitems__([1, 2]) == ROWS[1:3]


@pytest.mark.parametrize(("key", "error"), [(10, IndexError), (-11, IndexError), ("x", KeyError)])
def test_what_is_not_there_raises(table, key, error):
    with pytest.raises(error):
        table[key]


def test_iterating_gives_rows(table):
    assert list(table) == ROWS
    assert [batch["label"] for batch in table.iter(4)] == [[0, 1, 2, 0], [1, 2, 0, 1], [2, 0]]


def test_the_table_describes_itself(table):
    assert (table.shape, table.num_columns, table.unique("label")) == ((10, 2), 2, [0, 1, 2])
    label = table.features["label"]
    assert (label.num_classes, label.names) == (3, ["0", "1", "2"])
    assert (label.int2str(1), label.str2int("2"), table.features["text"].dtype) == ("1", 2, "str")
    assert "num_rows: 10" in repr(table)
    assert repr(label) == "Value('int')"


def test_a_data_loader_reads_batches(table):
    loader = torch.utils.data.DataLoader(table, batch_size=4)
    assert [len(batch["text"]) for batch in loader] == [4, 4, 2]


def test_columns_and_frames_make_tables():
    pandas = pytest.importorskip("pandas")
    columns = {"text": ["a", "b"], "label": [0, 1]}
    table = Dataset.from_dict(columns)
    assert table.to_dict() == columns
    assert table.to_list() == [{"text": "a", "label": 0}, {"text": "b", "label": 1}]
    assert Dataset.from_pandas(pandas.DataFrame(columns)).to_dict() == columns
    assert table.to_pandas()["text"].tolist() == ["a", "b"]


# ---------------------------------------------------------------- changing


def test_shuffle_keeps_all_rows_and_the_original(table):
    shuffled = table.shuffle(seed=1)
    assert shuffled["text"] != table["text"]
    assert sorted(shuffled["text"]) == table["text"] == [row["text"] for row in ROWS]
    assert table.shuffle(seed=1)["text"] == shuffled["text"]


def test_shuffle_without_a_seed_follows_the_global_one(table):
    random.seed(3)
    first = table.shuffle()["text"]
    random.seed(3)
    assert table.shuffle()["text"] == first != table.shuffle()["text"]


def test_shuffle_takes_a_generator(table):
    import numpy as np

    shuffled = table.shuffle(generator=np.random.default_rng(0))
    assert sorted(shuffled["text"]) == table["text"] != shuffled["text"]


def test_rows_are_selected(table):
    assert table.select(range(2))["text"] == table.take(2)["text"] == ["t0", "t1"]
    assert table.skip(8)["text"] == ["t8", "t9"]
    assert table.shard(5, 1)["text"] == ["t1", "t6"]
    assert table.sort("label", reverse=True)["label"][:4] == [2, 2, 2, 1]
    assert table.sort(["label", "text"])["text"][:2] == ["t0", "t3"]


@pytest.mark.parametrize(
    ("sizes", "counts"),
    [
        ({"test_size": 0.2}, (8, 2)),
        ({"test_size": 3}, (7, 3)),
        ({"train_size": 0.5}, (5, 5)),
        ({"train_size": 4, "test_size": 2}, (4, 2)),
        ({}, (7, 3)),
    ],
)
def test_train_test_split_has_the_sizes_asked_for(table, sizes, counts):
    parts = table.train_test_split(seed=0, **sizes)
    assert (len(parts["train"]), len(parts["test"])) == counts
    assert not set(parts["train"]["text"]) & set(parts["test"]["text"])


def test_filter_keeps_what_is_wanted(table):
    assert table.filter(lambda row: row["label"] == 2)["text"] == ["t2", "t5", "t8"]
    assert len(table.filter(lambda row, at: at < 3, with_indices=True)) == 3
    assert len(table.filter(lambda label: label == 0, input_columns="label")) == 4
    assert len(table.filter(lambda rows: [v > 0 for v in rows["label"]], batched=True)) == 6


def test_map_adds_and_removes_columns(table):
    mapped = table.map(lambda row: {"ids": torch.tensor([row["label"]])}, remove_columns="text")
    assert mapped[1] == {"label": 1, "ids": [1]}
    assert table.map(lambda row: None).to_list() == ROWS
    assert table.map(lambda row, at: {"at": at}, with_indices=True)["at"] == list(range(10))


def test_map_in_batches(table):
    sizes = []

    def lengths(rows, unit):
        sizes.append(len(rows["text"]))
        return {"length": [unit * len(each) for each in rows["text"]]}

    mapped = table.map(lengths, batched=True, batch_size=4, fn_kwargs={"unit": 10})
    assert (mapped["length"], sizes) == ([20] * 10, [4, 4, 2])


def test_map_in_batches_may_make_more_rows(table):
    twice = table.map(
        lambda rows: {"word": rows["text"] * 2}, batched=True, remove_columns=["text", "label"]
    )
    assert (len(twice), twice.column_names) == (20, ["word"])


def test_columns_are_renamed_added_and_removed(table):
    assert table.rename_column("label", "labels").column_names == ["text", "labels"]
    assert table.remove_columns("text")[0] == {"label": 0}
    assert table.select_columns(["label"])[0] == {"label": 0}
    assert table.add_column("n", torch.arange(10))[9]["n"] == 9
    assert table.cast_column("label", None) is table
    with pytest.raises(ValueError, match="nothing"):
        table.remove_columns(["nothing"])


def test_format_makes_tensors_of_numbers_only(table):
    table.set_format("torch", columns=["label"])
    assert torch.equal(table[1]["label"], torch.tensor(1))
    assert table[:2].keys() == {"label"}
    table.reset_format()
    assert table[1] == ROWS[1]
    shown = table.with_format("torch")
    assert (shown[1]["text"], shown[:2]["label"].tolist()) == ("t1", [0, 1])
    assert table.with_format("numpy")["label"].sum() == 9


def test_rows_of_several_lengths_become_a_list_of_tensors():
    ragged = Dataset.from_dict({"ids": [[1], [1, 2]]}).with_format("torch")
    assert [each.tolist() for each in ragged["ids"]] == [[1], [1, 2]]


# ---------------------------------------------------------------- all splits


def test_splits_are_changed_together(table):
    splits = DatasetDict(train=table, test=table.take(2))
    for seed in (0, 4):
        assert splits.shuffle(seed=seed)["train"]["text"] == table.shuffle(seed=seed)["text"]
    assert (
        splits.shuffle(seeds={"train": 1, "test": 2})["train"]["text"]
        == (table.shuffle(seed=1)["text"])
    )
    renamed = splits.rename_column("label", "y")
    assert renamed.column_names == {"train": ["text", "y"], "test": ["text", "y"]}
    assert splits.set_format("torch") is None
    assert isinstance(splits["test"][0]["label"], torch.Tensor)
    with pytest.raises(AttributeError, match="to_list"):
        splits.to_list()


def test_tables_are_joined(table):
    assert len(datasets.concatenate_datasets([table, table.take(3)])) == 13
