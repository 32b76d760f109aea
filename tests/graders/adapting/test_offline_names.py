"""Names of the hub, and their vocabularies."""

import os

import pytest

from graders.adapting.offline import vocabulary
from graders.adapting.offline.hub import family_of


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("roberta-base", "roberta"),
        ("FacebookAI/roberta-large", "roberta"),
        ("distilroberta-base", "roberta"),
        ("cardiffnlp/twitter-roberta-base-sentiment", "roberta"),
        ("bert-base-uncased", "bert"),
        ("bert-base-cased", "bert-cased"),
        ("google-bert/bert-large-cased", "bert-cased"),
        ("distilbert-base-uncased", "distilbert"),
        ("distilbert/distilbert-base-cased", "distilbert-cased"),
        ("DistilBERT-base-uncased", "distilbert"),
        ("microsoft/deberta-v3-base", "bert"),
        ("gpt2", "bert"),
        ("somebody/unheard-of", "bert"),
        ("ModelTC/bert-base-uncased-sst2", "bert"),
    ],
)
def test_a_name_of_the_hub_has_a_family(name, family):
    assert family_of(name) == family


@pytest.mark.parametrize(
    "name",
    [
        "best_model", "./roberta-base", "../roberta-base", "/data/roberta-base", "model.pt",
        "checkpoints/best", "output/roberta-base", "saved_models/x", "results/epoch3",
        "sst2-runs/roberta", "finetuned/roberta-base",
        "a/b/roberta", "", "roberta base", None, b"roberta-base", 3,
    ],
)  # fmt: skip
def test_a_place_on_this_machine_has_none(name):
    """What was never saved fails to load, as it does for everybody."""
    assert family_of(name) is None


@pytest.mark.parametrize("folder", ["roberta-base", "mine/roberta-base"])
def test_an_existing_folder_stays_what_it_is(tmp_path, monkeypatch, folder):
    monkeypatch.chdir(tmp_path)
    assert family_of(folder) == "roberta"
    os.makedirs(folder)
    assert family_of(folder) is None


def test_nothing_is_a_user_of_the_hub_whose_name_is_a_folder_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.makedirs("mine/second")
    assert family_of("mine/first") is None


# ---------------------------------------------------------------- vocabularies


def test_vocabularies_have_special_tokens_and_spell_every_byte():
    tokens, _ = vocabulary.byte_pairs()
    assert tokens[:4] == ["<s>", "<pad>", "</s>", "<unk>"]
    assert tokens[-1] == "<mask>"
    assert len(set(tokens)) == len(tokens)
    tokens, merges = vocabulary.byte_pairs()
    assert {"Ġ", "Ċ", "A", "Ń"} < set(tokens[4:260])
    assert all(len(token) == 1 for token in tokens[4:260])
    assert all(left in tokens and right in tokens for left, right in merges[:50])
    tokens = vocabulary.word_pieces()
    assert (tokens[0], tokens[100:104]) == ("[PAD]", ["[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    assert len(set(tokens)) == len(tokens)
    words = vocabulary.words()
    assert len(set(words)) == len(words) > 300
    assert set(words) < set(vocabulary.word_pieces())
    assert {"Ġ" + word for word in words} < set(vocabulary.byte_pairs()[0])
