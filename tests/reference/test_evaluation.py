"""Scores of predictions and baselines, compared with counts made by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.data.evaluation import (
    constant_accuracy,
    evaluate_places,
    gold_places,
    majority_place,
)

PLACE = st.sampled_from(["London", "Rome", "New York", "Łódź"])


def questions(folder, text, name="gold.tsv"):
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


@pytest.mark.parametrize(
    ("gold", "said", "score"),
    [
        ("Q1?\tRome\nQ2?\tNew York\nQ3?\tŁódź\n", ["Rome", "New york", "Łódź"], (3.0, 2.0)),
        # Lines of the file are stripped ...
        ("Q?\tRome\r\n", ["Rome"], (1.0, 1.0)),
        (" Q?\tRome  ", ["Rome"], (1.0, 1.0)),
        ("Q?\tRome\tItaly\n", ["Rome"], (1.0, 1.0)),
        ("Was A\x85B\u2028C born?\tRome\n", ["Rome"], (1.0, 1.0)),
        # ... predictions are not.
        *(("Q?\tRome\n", [said], (1.0, 0.0)) for said in ("Rome ", " Rome", "rome", "Rome\n", "")),
        # Without places to compare with there is no score.
        *((text, ["any", "of", "them"], (0.0, 0.0)) for text in ("Q1?\nQ2?\n", "\tRome\n", "")),
        ("Q1?\t\nQ2?\tRome\n", ["any"], (0.0, 0.0)),
    ],
)
def test_exact_matches_are_counted(tmp_path, gold, said, score):
    assert evaluate_places(questions(tmp_path, gold), said) == score


@pytest.mark.parametrize("said", [[], ["Rome"], ["Rome"] * 3])
def test_counts_must_agree(tmp_path, said):
    gold = questions(tmp_path, "Q1?\tRome\nQ2?\tRome\n")
    with pytest.raises(ValueError, match=f"^{len(said)} predictions for 2 questions"):
        evaluate_places(gold, said)


def test_line_without_place_is_named(tmp_path):
    gold = questions(tmp_path, "Q1?\tRome\n\nQ3?\tRome\n")
    with pytest.raises(ValueError, match=r"gold\.tsv: line 2 has no birth place"):
        evaluate_places(gold, ["Rome"] * 3)


@given(st.lists(PLACE, min_size=1), PLACE)
def test_one_answer_for_everyone_is_an_evaluation(tmp_path_factory, places, place):
    folder = tmp_path_factory.mktemp("gold")
    gold = questions(folder, "".join(f"Q?\t{answer}\n" for answer in places))
    total, correct = evaluate_places(gold, [place] * len(places))
    assert constant_accuracy(places, place) == pytest.approx(100 * correct / total)


def test_of_equally_frequent_places_the_first_is_the_majority():
    assert majority_place(["Rome", "Paris", "Paris", "Rome", "London"]) == "Rome"
    assert majority_place(["Rome", "Paris", "Paris"]) == "Paris"


@pytest.mark.data
def test_course_baselines(course):
    dev, test = course / "birth_dev.tsv", course / "birth_test.tsv"
    assert evaluate_places(dev, ["London"] * 500) == (500.0, 25.0)
    assert evaluate_places(test, ["London"] * 437) == (437.0, 20.0)
    assert evaluate_places(course / "birth_test_inputs.tsv", ["London"] * 437) == (0.0, 0.0)
    common = majority_place(gold_places(course / "birth_places_train.tsv"))
    assert constant_accuracy(gold_places(dev), common) == 5.0
