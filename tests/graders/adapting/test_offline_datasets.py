"""The library `datasets` after `ready`: complete, with our own rows instead of downloads."""

import sys

import pytest

pytestmark = [
    pytest.mark.slow,  # the first test starts the process
    pytest.mark.skipif(sys.platform == "win32", reason="processes are forked"),
]
ROWS = """
import datasets, pytest
from datasets import Dataset, DatasetDict, load_dataset
from graders.adapting.offline.datasets import set_rows
from graders.adapting.unavailable import Unavailable
ROWS = [{"text": f"t{at}", "label": at % 2} for at in range(10)]
set_rows("gpt3mix/sst2", {"train": ROWS, "validation": ROWS[:4], "test": ROWS[4:]})
set_rows("boolq", {"train": [{"question": "q", "passage": "p", "answer": True}]})
table = load_dataset("gpt3mix/sst2", split="train")
"""


@pytest.fixture
def run(run_offline):
    def run(snippet):
        lines = snippet.strip("\n").splitlines()
        indent = len(lines[0]) - len(lines[0].lstrip())
        run_offline(ROWS + "\n".join(line[indent:] for line in lines))

    return run


def test_rows_that_were_set_are_loaded(run):
    run("""
        splits = load_dataset("gpt3mix/sst2")
        assert type(splits) is DatasetDict and type(splits["train"]) is Dataset
        assert splits.num_rows == {"train": 10, "validation": 4, "test": 6}
        assert splits["train"][3] == {"text": "t3", "label": 1}
        splits["train"][0]["text"] = "changed"
        assert load_dataset("gpt3mix/sst2")["train"][0]["text"] == "t0"
    """)


def test_editions_name_the_columns_their_way(run):
    run("""
        for name in [("glue", "sst2"), ("sst2",), ("stanfordnlp/sst2",)]:
            row = load_dataset(*name)["train"][1]
            assert row == {"sentence": "t1", "label": 1, "idx": 1}, row
        assert load_dataset("SetFit/sst2")["train"][1]["label_text"] == "1"
        row = {"question": "q", "passage": "p"}
        assert load_dataset("google/boolq")["train"][0] == {**row, "answer": True}
        assert load_dataset("super_glue", "boolq")["train"][0] == {**row, "label": 1, "idx": 0}
        label = load_dataset("glue", "sst2")["train"].features["label"]
        assert (label.num_classes, label.int2str(1)) == (2, "positive")
    """)


def test_splits_are_what_the_library_makes_of_them(run):
    run("""
        for split, texts in {
            "train[:2]": ["t0", "t1"],
            "train[-1:]": ["t9"],
            "train[20%:40%]": ["t2", "t3"],
            "train[:1]+test[:1]": ["t0", "t4"],
        }.items():
            assert load_dataset("gpt3mix/sst2", split=split)["text"] == texts
        first, second = load_dataset("gpt3mix/sst2", split=["validation", "test"])
        assert (len(first), len(second)) == (4, 6)
        assert len(load_dataset("gpt3mix/sst2", split="all")) == 20
        ten = datasets.ReadInstruction("train", to=10, unit="%")
        assert load_dataset("gpt3mix/sst2", split=ten)["text"] == ["t0"]
        with pytest.raises(ValueError, match="Unknown split"):
            load_dataset("gpt3mix/sst2", split="dev")
        streamed = load_dataset("gpt3mix/sst2", split="train", streaming=True)
        assert [row["text"] for row in streamed.take(2)] == ["t0", "t1"]
    """)


def test_what_only_the_hub_has_is_ours_to_explain(run):
    run("""
        for name in ("imdb", "stanfordnlp/imdb"):
            with pytest.raises(Unavailable, match=name):
                load_dataset(name)
            with pytest.raises(Unavailable, match=name):
                datasets.get_dataset_config_names(name)
        with pytest.raises(Unavailable):
            table.push_to_hub("me/rows")
    """)


def test_what_lies_in_files_is_read_as_always(run):
    run("""
        with open("rows.csv", "w") as file:
            file.write("text,label\\na,0\\nb,1\\n")
        assert load_dataset("csv", data_files="rows.csv")["train"]["label"] == [0, 1]
        table.save_to_disk("saved")
        assert datasets.load_from_disk("saved")["text"] == table["text"]
        for missing in (lambda: load_dataset("csv", data_files="no.csv"),
                        lambda: datasets.load_from_disk("nowhere")):
            with pytest.raises(FileNotFoundError) as caught:
                missing()
            assert not isinstance(caught.value, Unavailable)
    """)


def test_tables_are_changed_by_the_library_itself(run):
    run("""
        renamed = table.rename_column("label", "labels")
        parts = renamed.train_test_split(test_size=0.3, seed=0, stratify_by_column="labels")
        assert {name: len(part) for name, part in parts.items()} == {"train": 7, "test": 3}
        lengths = parts.map(
            lambda rows: {"n": [len(each) for each in rows["text"]]},
            batched=True, batch_size=4, remove_columns=["text"],
        )
        assert lengths["train"].column_names == ["labels", "n"]
        lengths.set_format("torch", columns=["n"])
        assert torch.equal(lengths["test"]["n"], torch.tensor([2, 2, 2]))
        loader = torch.utils.data.DataLoader(lengths["train"].with_format("torch"), batch_size=4)
        assert [batch["labels"].shape for batch in loader] == [(4,), (3,)]
        assert len(table.filter(lambda row: row["label"], num_proc=2)) == 5
        assert table.map(lambda row: {"n": 1}, num_proc=4)[9]["n"] == 1
        assert len(datasets.concatenate_datasets([table, table])) == 20
    """)


def test_a_column_is_a_list_as_before_release_4(run):
    run("""
        from transformers import AutoTokenizer
        tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
        assert len(tokenizer(table["text"])["input_ids"]) == 10
        assert type(table["label"]) is list and table["label"][:3] == [0, 1, 0]
        table["label"].append(5)
        assert len(table["label"]) == 10
        table.set_format("numpy")
        assert table["label"].sum() == 5
        table.reset_format()
        assert table["label"] == [0, 1] * 5
        with pytest.raises((KeyError, ValueError)):
            table["nothing"]
    """)
