"""Similar answers are grouped: by counted words, or by an encoder."""

import importlib.util

import numpy as np
import pytest

from graders.errors import UsageError
from graders.written.free_text import similarity
from graders.written.free_text.similarity import MiniLM, TfIdf, best_encoder, groups

INSTALLED = importlib.util.find_spec(similarity.PACKAGE) is not None
needs_weights = pytest.mark.skipif(not INSTALLED, reason="softmark[encoder] is not installed")
TEXTS = (
    "The keys are scaled before the softmax.",
    "Before the softmax one scales a key.",
    "Byte-pair merging builds the vocabulary.",
)


def test_tf_idf_ranks_the_rewording_first():
    rows = TfIdf().encode(TEXTS)
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.2
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)


def test_tf_idf_takes_nothing_and_letters_that_cannot_be_written():
    assert TfIdf().encode([]).shape == (0, 4096)
    assert not TfIdf().encode(["", "?!"]).any()
    assert np.isfinite(TfIdf().encode(["\ud800 lone", "ok"])).all()


@pytest.mark.slow
@needs_weights
def test_minilm_knows_synonyms():
    encoder = best_encoder()
    assert encoder.name == "minilm"
    rows = encoder.encode(
        ("The car is quick.", "An automobile is fast.", "Softmax sums to one.", "")
    )
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.3
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert encoder.encode([]).shape == (0, 384)


@needs_weights
def test_other_weights_are_refused(monkeypatch):
    monkeypatch.setattr(similarity, "WEIGHTS", "0" * 64)
    assert best_encoder().name == "tf-idf"
    with pytest.raises(UsageError, match="differ from the published"):
        MiniLM()


def test_without_the_package_words_are_counted(monkeypatch):
    monkeypatch.setattr(similarity, "PACKAGE", "no_such_package_here")
    assert isinstance(best_encoder(), TfIdf)


ANSWERS = {
    "ann": "Attention is permutation equivariant, so the order of the words is lost.",
    "bob": "attention is permutation   equivariant, so the order of the words is lost",
    "cyd": "Attention is permutation-equivariant, so the order of the word is lost!",
    "dan": "A byte-pair tokenizer merges the most frequent pair of symbols.",
    "eve": "",
    "fay": "  \n",
    "gus": "Attention is not permutation equivariant, so the order of the words is lost.",
}


def of(name, grouped):
    return next(set(group.members) for group in grouped if name in group.members)


def test_similar_together_and_different_apart():
    grouping = groups(ANSWERS)
    assert of("ann", grouping) == {"ann", "bob", "cyd"}
    assert of("dan", grouping) == {"dan"}
    assert of("eve", grouping) == {"eve", "fay"}
    assert groups({}) == ()


def test_every_answer_is_listed_once_below_the_first_of_its_group_in_any_order():
    grouping = groups(ANSWERS)
    assert sorted(name for group in grouping for name in group.members) == sorted(ANSWERS)
    assert all(group.text == ANSWERS[group.members[0]] for group in grouping)
    assert groups(dict(reversed(ANSWERS.items()))) == grouping


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The gradient vanishes there.", "The gradient does not vanish there."),
        ("The prefix has 128 d parameters in all.", "The prefix has 130 d parameters in all."),
        ("the query is beta (k_a + k_b) here", "the query is beta (k_a - k_b) here"),
        ("its cost is O(n^2) for each layer", "its cost is O(n) for each layer"),
        ("that is twice the largest", ""),
    ],
)
def test_opposites_are_never_together(one, other):
    assert len(groups({"a": one, "b": other}, threshold=0.0)) == 2


def test_same_text_is_together_at_any_threshold():
    assert len(groups({"a": "Yes.", "b": " yes", "c": "YES!"}, threshold=2.0)) == 1


def test_beyond_the_limit_the_same_are_together(monkeypatch):
    monkeypatch.setattr(similarity, "MOST_COMPARED", 2)
    answers = {"a": "aa one", "b": "bb two", "c": "zz three", "d": "zz three", "e": "zz three s"}
    assert groups(answers, threshold=0.1)[0].members == ("c", "d")
    assert sum(len(group.members) for group in groups(answers)) == 5


def test_hostile_answers_are_grouped():
    texts = ("a" * 2_000_000, "\x00\ud800", "not " * 200_000, "𝔘" * 9_000, "$" * 90_000)
    grouping = groups({str(number): text for number, text in enumerate(texts)})
    assert sum(len(group.members) for group in grouping) == len(texts)
