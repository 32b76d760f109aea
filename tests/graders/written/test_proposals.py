"""Sentences of an answer that say or deny an item of the rubric are proposed to a person."""

import pytest

from graders.written.free_text.proposals import propose
from graders.written.free_text.wording import (
    LONGEST_SENTENCE,
    MOST_SENTENCES,
    READ,
    denies,
    occurrence,
    sentences,
    words,
)
from graders.written.question import Review, RubricItem


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
    assert [sentence.text for sentence in sentences(answer)] == expected


def test_long_answers_are_read_in_bounded_pieces():
    passages = sentences("word " * 100_000)
    assert max(len(passage.text) for passage in passages) <= LONGEST_SENTENCE
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


RUBRIC = Review(
    3,
    "text",
    (
        RubricItem(
            1,
            "argmax is piecewise constant, so its derivative with respect to the scores is zero",
            ("the gradient is zero almost everywhere", "argmax is not differentiable"),
            ("gradients explode",),
        ),
        RubricItem(1, "queries and keys get no gradient", ("W_q and W_k are never updated",), ()),
        RubricItem(
            1,
            "padding reaches the longest sequence in the batch",
            ("pads each batch to its longest sequence",),
            ("every sample has exactly 512 tokens",),
        ),
    ),
)


def one(answer, item=0):
    return propose(RUBRIC, answer)[item]


@pytest.mark.parametrize(
    ("answer", "item", "support"),
    [
        ("I like tea. The gradient is zero almost everywhere. Bye.", 0,
         "The gradient is zero almost everywhere."),
        ("Well, argmax isn't differentiable! So what?", 0, "Well, argmax isn't differentiable!"),
        ("- keys matter\n- $W_q$ and $W_k$ are never updated\n- values are", 1,
         "- $W_q$ and $W_k$ are never updated"),
        (r"First. \textbf{Queries} and \emph{keys} get no gradient.", 1,
         r"\textbf{Queries} and \emph{keys} get no gradient."),
        ("Each batch is padded to its longest sequence (e.g. 45). Fine.", 2,
         "Each batch is padded to its longest sequence (e.g. 45)."),
        ("QUERIES AND KEYS GET NO GRADIENTS", 1, "QUERIES AND KEYS GET NO GRADIENTS"),
    ],
)  # fmt: skip
def test_supporting_sentence_is_found(answer, item, support):
    proposal = one(answer, item)
    assert proposal.ticked
    assert proposal.support.text == support
    assert answer[proposal.support.start : proposal.support.end] == support


def test_other_topics_support_nothing_and_not_only_denies_nothing():
    assert not any(proposal.ticked for proposal in propose(RUBRIC, "Tokenizers split rare words."))
    assert one("Not only is the gradient zero almost everywhere, it is unusable.").ticked


@pytest.mark.parametrize(
    ("answer", "item"),
    [
        ("The gradient is not zero almost everywhere.", 0),
        ("It isn't true that the gradient is zero almost everywhere.", 0),
        ("Argmax is differentiable.", 0),
        ("W_q and W_k are updated.", 1),
        ("Queries and keys get a gradient.", 1),
    ],
)
def test_denial_supports_nothing(answer, item):
    assert not one(answer, item).ticked


def test_contradiction_lowers_the_confidence_unless_denied():
    right = "The gradient is zero almost everywhere."
    both = one(right + " Therefore gradients explode.")
    assert both.confidence < one(right).confidence / 2
    assert [(c.phrase, c.passage.text) for c in both.contradictions] == [
        ("gradients explode", "Therefore gradients explode.")
    ]
    assert one("The gradients do not explode.").contradictions == ()


def test_long_contradiction_survives_rewording():
    proposal = one("With padding on, exactly 512 tokens is what every sample will have.", 2)
    assert [contradiction.phrase for contradiction in proposal.contradictions] == [
        "every sample has exactly 512 tokens"
    ]


@pytest.mark.parametrize(
    "answer",
    [
        "", " \n\t", "a" * 3_000_000, "not " * 500_000, "." * 1_000_000, "$\\frac{" * 100_000,
        "\x00\u202e\ud800" * 10_000, "勾配はゼロです。鍵は更新されません。" * 2_000,
        "الميل صفر. " * 5_000,
        "\\" * 100_000,
        "(" * 100_000, "n't" * 50_000, "ﷺ" * 20_000, "İ" * 30_000, ",;" * 50_000,
        "k_a k_b " * 50_000, "e.g." * 30_000, "the gradient is zero almost " * 10_000,
    ],
)  # fmt: skip
def test_hostile_answer_gets_bounded_proposals(answer, cpu_seconds):
    with cpu_seconds(5):
        proposals = propose(RUBRIC, answer)
    for proposal in proposals:
        assert 0 <= proposal.confidence <= 1
        assert proposal.support is None or proposal.support.end <= READ
        assert len(proposal.contradictions) <= MOST_SENTENCES


def test_rubric_without_words_proposes_nothing():
    empty = Review(1, "text", (RubricItem(1, "", ("", "the"), ("", "of the")),))
    (proposal,) = propose(empty, "Anything at all of the kind.")
    assert (proposal.ticked, proposal.confidence, proposal.contradictions) == (False, 0.0, ())
