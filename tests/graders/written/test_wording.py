import pytest

from graders.written.free_text.negation import denies, occurrence
from graders.written.free_text.wording import LONGEST_SENTENCE, MOST_SENTENCES, sentences, words


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("One. Two!  Three?", ["One.", "Two!", "Three?"]),
        ("A loss of 0.5 is fine, e.g. here. Next", ["A loss of 0.5 is fine, e.g. here.", "Next"]),
        ("- first\n- second\n\n", ["- first", "- second"]),
        ("勾配はゼロ。鍵は動かない。", ["勾配はゼロ。", "鍵は動かない。"]),
    ],
)
def test_sentences_are_cut_where_they_end(answer, expected):
    assert [each.text for each in sentences(answer)] == expected


def test_places_are_those_of_the_answer():
    answer = "  Yes.\n\n\tNo, no. Yes.  "
    assert all(answer[each.start : each.end] == each.text for each in sentences(answer))


def test_long_answers_are_read_in_bounded_pieces():
    found = sentences("word " * 100_000)
    assert max(len(each.text) for each in found) <= LONGEST_SENTENCE
    assert len(sentences("a. " * 100_000)) == MOST_SENTENCES


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The keys are scaled", "the key is SCALING"),
        ("it doesn't vanish", "it does not vanish"),
        (r"\textbf{softmax} of $\beta$", "softmax of β"),
        ("gradients vanish", "the gradient vanishes"),
        ("parameterization", "parameterisation"),
    ],
)
def test_one_form_for_what_means_the_same(one, other):
    def carried(text):
        return [word for word in words(text) if word not in words("the is are of")]

    assert carried(one) == carried(other)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("the gradient vanishes", "said"),
        ("gradients that vanish are the trouble", "said"),
        ("the gradient doesn't vanish", "denied"),
        ("the gradient will never vanish", "denied"),
        ("not only do gradients vanish, they are zero", "said"),
        ("the values are not used, but gradients vanish", "said"),
        ("it is false that gradients vanish", "denied"),
        ("a gradient is a vector, and much later in this long text some keys may vanish", "absent"),
    ],
)
def test_phrase_is_said_or_denied(sentence, expected):
    assert occurrence("gradients vanish", sentence) == expected


def test_denial_is_judged_where_the_target_is_spoken_of():
    assert not denies("argmax is constant", "The keys do not matter, argmax is constant")
    assert denies("argmax is constant", "The keys matter, argmax is not constant")
