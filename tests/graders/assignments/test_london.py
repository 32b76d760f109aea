import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.assignments.cs224n_a4.london_baseline.checks import Baseline, read_statement

COURSE = Baseline(25, 500)
UNEVEN = Baseline(20, 437)  # 4.5766 %

RIGHT = [
    "5.0",
    "5",
    "5.00",
    "5.",
    "5.000000000000000000e+00",
    "5e-2",
    "0.05",
    ".05",
    "0.050000",
    "0.05000000074505806",
    "5.000000000000001",
    "5.0%",
    "5 %",
    "5,0 %",
    "0,05",
    "5.0 percent",
    "５.０％",
    "5.0\r\n",
    "London baseline accuracy: 5.0",
    "The accuracy is 5.0.",
    "accuracy=5.0",
    "London-baseline: 5.0%.",
    "Accuracy of always saying London: 0.05 (5%)",
    "Correct: 25.0 out of 500.0: 5.0%",
    "Correct: 25 out of 500: 5.0",
    "25/500 = 0.05",
    "25 / 500 * 100 = 5.0",
    "5.0/100",
    "100 * 25 / 500 = 5.0",
    "data has 418351 characters, 256 unique.\nCorrect: 25.0 out of 500.0: 5.0%",
    "25 of the 500 dev places, that is 5.0%",
    "25 correct out of 500 (5.0 %)",
    "total 500, correct 25, accuracy 5.0",
    "(5.0, 500, 25)",
    "tensor(5.)",
    "np.float64(5.0)",
    "[5.0]",
    "25.0,500.0,5.0",
    "accuracy... 5.0...",
    "Correct: 25.0, Total: 500.0, Accuracy: 5.0",
    "25 correct / 500 total = 5.0%",
    '{"accuracy": 5.0}',
    "CS224N A4, part (d): 5.0",
    "Assignment 4, Spring 2024\nLondon: 5.0%",
    "2024-11-20 17:03:11 London baseline 5.0",
    "5.0 (on a scale of 0-100)",
    "~5%",
]

WRONG = [
    "",
    "London",
    "25",
    "500",
    "25 500",
    "0.05%",
    "5.0% (0.05%)",
    "500%",
    "-5.0",
    "5.1",
    "5.05",
    "5.01",
    "4.6",
    "4.58%",
    "0.5",
    "50",
    "95.0",
    "0.95",
    "0",
    "0.0",
    "100",
    "inf",
    "nan",
    "1e99",
    "1 2 3 4 5 0.05",
    "5.0 or 4.6",
    "0.05 0.5 5 50",
    "0 5 100",
    "5.0,4.6,95",
    "5,0.05,0.5",
    "5.0.0",
    "5.0 1.2.3",
    "Correct: 23.0 out of 500.0: 5.0%",
    "25/437 = 5.0",
    "25/0",
    "9" * 3000,
    "9" * 400 + "/3",
    "3 of " + "9" * 400,
]


def accepts(baseline, text):
    statement = read_statement(text)
    return not baseline.false_claims(statement) and baseline.is_stated(statement)


@pytest.mark.parametrize("text", RIGHT)
def test_true_number_is_accepted_in_any_words(text):
    assert accepts(COURSE, text)


@pytest.mark.parametrize("text", WRONG)
def test_false_or_missing_number_is_refused(text):
    assert not accepts(COURSE, text)


@pytest.mark.parametrize("text", ["4.58", "4.57", "4.6", "4.576659%", "0.0458", "0.045766590389"])
def test_rounded_or_cut_off_is_accepted(text):
    assert accepts(UNEVEN, text)


@pytest.mark.parametrize("text", ["5", "4.5", "4.7", "0.05", "4.59", "4.56"])
def test_coarse_or_misrounded_is_refused(text):
    assert not accepts(UNEVEN, text)


@given(st.text(max_size=200))
def test_any_text_can_be_read(text):
    assert accepts(COURSE, text) in (True, False)


@given(st.lists(st.sampled_from(["5.0", "0.05", "25", "500", "1", "95", "4.6", "0.5", "%"])))
def test_no_list_with_a_false_number_is_accepted(words):
    assert not ({"1", "95", "4.6", "0.5"} & set(words) and accepts(COURSE, "; ".join(words)))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"60", "This is the number of places"),
        (b"0.0", "without line ends"),
        (b"12.5\n", ""),
        (b"", ""),
    ],
)
def test_refusal_names_the_slip(judge, content, words):
    result = judge("london_baseline", {"london_baseline_accuracy.txt": content})
    assert (result.status, words in result.hint) == ("failed", True)
    assert bool(words) == bool(result.hint)


def test_train_share_is_named(judge, course):
    result = judge("london_baseline", {"london_baseline_accuracy.txt": b"4.6"}, course)
    assert "in the training file" in result.hint


def test_byte_order_mark_and_utf16_are_read(judge):
    for content in (b"\xef\xbb\xbf5.0\r\n", "5.0\r\n".encode("utf-16")):
        result = judge("london_baseline", {"london_baseline_accuracy.txt": content})
        assert result.status == "passed"


def test_long_file_is_refused(judge):
    result = judge("london_baseline", {"london_baseline_accuracy.txt": b"5.0 " * 1000})
    assert result.status == "failed"


def test_count_of_course_questions_is_not_judged_by_embedded_world(judge):
    content = b"Correct: 25.0 out of 500.0: 5.0%"
    result = judge("london_baseline", {"london_baseline_accuracy.txt": content})
    assert (result.status, "--data" in result.message) == ("error", True)
