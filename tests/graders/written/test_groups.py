import random

import pytest

from graders.written.free_text import groups as module
from graders.written.free_text.groups import groups

ANSWERS = {
    "ann": "Attention is permutation equivariant, so the order of the words is lost.",
    "bob": "attention is permutation   equivariant, so the order of the words is lost",
    "cyd": "Attention is permutation-equivariant, so the order of the word is lost!",
    "dan": "A byte-pair tokenizer merges the most frequent pair of symbols.",
    "eve": "",
    "fay": "  \n",
    "gus": "Attention is not permutation equivariant, so the order of the words is lost.",
}


def of(name, found):
    return next(set(group.members) for group in found if name in group.members)


def test_similar_together_and_different_apart():
    found = groups(ANSWERS)
    assert of("ann", found) == {"ann", "bob", "cyd"}
    assert of("dan", found) == {"dan"}
    assert of("eve", found) == {"eve", "fay"}
    assert groups({}) == ()


def test_every_answer_is_listed_once_below_the_first_of_its_group_in_any_order():
    found = groups(ANSWERS)
    assert sorted(name for group in found for name in group.members) == sorted(ANSWERS)
    assert all(group.text == ANSWERS[group.members[0]] for group in found)
    names = list(ANSWERS)
    random.Random(3).shuffle(names)
    assert groups({name: ANSWERS[name] for name in names}) == found


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
    monkeypatch.setattr(module, "MOST_COMPARED", 2)
    answers = {"a": "aa one", "b": "bb two", "c": "zz three", "d": "zz three", "e": "zz three s"}
    assert groups(answers, threshold=0.1)[0].members == ("c", "d")
    assert sum(len(group.members) for group in groups(answers)) == 5


def test_hostile_answers_are_grouped():
    texts = ("a" * 2_000_000, "\x00\ud800", "not " * 200_000, "𝔘" * 9_000, "$" * 90_000)
    assert sum(len(group.members) for group in groups(dict(enumerate_names(texts)))) == len(texts)


def enumerate_names(texts):
    return ((f"s{number}", text) for number, text in enumerate(texts))
