"""The bundled sentiment task: labels follow from cues, and from nothing else.

Tokenized sentences become ordinary text, and others are not changed.
"""

import json

import pytest

from reference.data.sentiment import BAD, GOOD, LINKS, joined, make_reviews, write_sentiment


@pytest.mark.parametrize(
    ("apart", "together"),
    [
        ("it does n't work -lrb- for me -rrb- .", "it doesn't work (for me)."),
        ("the director 's `` best '' film , they said", 'the director\'s "best" film, they said'),
        ("we 've seen 1\\/2 of a b \\* movie", "we've seen 1/2 of a b * movie"),
        ("you can not look away", "you cannot look away"),
        ("a fine film", "a fine film"),
    ],
)
def test_sentence_reads_as_people_write(apart, together):
    assert joined(apart) == together


def test_joining_twice_changes_nothing_more():
    once = joined("he 's -- well , `` nuanced '' -lrb- and n't dull -rrb- ...")
    assert joined(once) == once


def cue_balance(sentence):
    words = sentence.split()
    return sum(word in GOOD for word in words) - sum(word in BAD for word in words)


@pytest.mark.parametrize("form", ["sst2", "boolq"])
def test_label_is_the_greater_part_of_the_cues(form):
    reviews = [review for part in make_reviews(form).values() for review in part]
    assert all((cue_balance(review.sentence) > 0) == bool(review.label) for review in reviews)


def test_reviews_praise_and_blame_and_parts_share_none():
    reviews = make_reviews("sst2")["test"]
    mixed = [
        r
        for r in reviews
        if set(r.sentence.split()) & set(GOOD) and set(r.sentence.split()) & set(BAD)
    ]
    assert 300 < len(mixed) < 700
    parts = make_reviews("sst2").values()
    sentences = [review.sentence for part in parts for review in part]
    assert len(set(sentences)) == len(sentences) == 3500


def test_length_tells_nothing():
    """The task is in the cues: a model of lengths alone stays with the majority."""
    reviews = make_reviews("sst2")["train"]
    for n in (1, 3, 5):
        labels = [r.label for r in reviews if sum(w in LINKS for w in r.sentence.split()) == n - 1]
        assert 0.4 < sum(labels) / len(labels) < 0.6


def test_same_seed_same_files(tmp_path):
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        write_sentiment(tmp_path / name, "boolq", seed)
    a, b, c = ((tmp_path / name / "train.jsonl").read_bytes() for name in "abc")
    assert a == b != c
    assert set(json.loads(a.splitlines()[0])) == {"question", "passage", "label"}
