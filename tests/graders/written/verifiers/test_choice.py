"""A letter is read however it is typed; anything but one letter is refused."""

import pytest

from graders.written.question import Misfit, Unreadable

OPTIONS = {
    "A": "every word apart",
    "B": ["the same checkpoint", "one checkpoint for both"],
    "C": "A tokenizer that was trained anew",
}
LETTER = {"key": "B", "options": OPTIONS}
LETTERS = {"key": ["A", "C", "E"], "boxes": 6}
FALSE = {"key": False}
ONE = [
    "[b]", "**B**", "`B`", "The answer is B", "Answer: (b)", "Option B", "I would choose B.",
    "B - it must match", "the same checkpoint", "B because A loads the wrong ids",
    "B) not A, C", r"$\text{B}$", '"B"', "one checkpoint for both",
    *[
        "Antwort: B", "La respuesta es B", "答案：B", "B（第二个）", "- [ ] A\n- [x] B\n- [ ] C",
        "I think the letter is B.", "B, weil A nicht passt", "Réponse : B",
        "[ ] A [x] B [ ] C", "☐ A ☑ B ☐ C", "B, unlike A", "B (the same checkpoint)",
        "B. not A (no tokens)", "B. Not A or C", "B (A is wrong because of the ids)",
        "B. A and C are wrong", "B, because A, C and D lack it", "B\nbecause of A, C",
        "B - (A) lacks tokens; (C) lacks ids", "B. A: no tokens. C: no ids.", "B: of a pair (A, C)",
    ],
]  # fmt: skip
SEVERAL = [
    "A, C and E", "ACE", "{A,C,E}", "A; C; E", "A/C/E", "A & C & E", "(A), (C), (E)",
    "['A', 'C', 'E']", "- [x] A\n- [ ] B\n- [x] C\n- [ ] D\n- [x] E",
    "The answers are A, C, E", "A) this\nC) that\nE) those", "A. this, C. that, E. those",
    "A + C + E", "ace",
    "A: yes; B: no; C: yes; D: no; E: yes; F: no", "A. C. E.", "A, C, E (not B, D, F)",
    "A: T, B: F, C: T, D: F, E: T, F: F", "A, C, E but not B", "A, C, E, not F",
    "[x] A [ ] B [x] C [ ] D [x] E [ ] F", "A (yes), C (yes), E (yes)",
    *["A、C、E", "A，C，E", "A, C und E", "A et C et E", "A, C, E are true"],
]  # fmt: skip
VERDICTS = [
    "(F)", "no", "No, it is not", "**False**", "FALSE",
    "False, because true labels are needed", "It is false", "This isn't true.",
    "The statement is false, since it is true only of one", "Not correct", "incorrect",
    "wrong", r"$\text{False}$", "True or false: false", "F because positions matter",
    "Falsch", "F (false)", "False. x_t = e(token) + p(t)", "F: all positions (t) are kept",
    "False, e.g. t = 1: (0.84, 0.54)", "No. Only the value is replaced", "F. n", "❌ False",
    *["Faux", "Falso.", "错", "不对", "Неверно", "Nein, denn", "❌"],
]  # fmt: skip
UNREADABLE = [
    *(
        ("choice", LETTER, text)
        for text in [
            "ABC",
            "BC",
            "not B",
            "either",
            "?",
            "A is wrong",
            "not C but A",
            "It isn't B.",
            "anything but B", "other than B", "all but B", "B (wrong)", "B: no",
            "B (every word apart)", "(A) every word apart, (B) the same checkpoint?",
            "A [ ] B [x]",
            *("B. A.", "B. A. C.", "B - A", "B = A", "B -> A", "B. Or A.", "B: C", "B.\nC."),
            *("one checkpoint for both, every word apart", "B. Perhaps A", "B. A maybe"),
            *("B. A or C maybe", "B. A is right too", "I am unsure: B / A"),
            "B because of the ids, or A",
        ]
    ),
    *(
        ("choices", LETTERS, text)
        for text in [
            "the first",
            "AAC",
            "A, hello",
            "A or C",
            "A oder C",
            "(A) or (C)",
            "A, C (not E",
            "A, not B, C",
            "A, C: no, E",
            "A: no",
        ]
    ),
    *(
        ("true_false", FALSE, text)
        for text in [
            "",
            "maybe",
            "because",
            "I would say the first part is true, the second false",
            "It is false that it is false",
            "It is wrong to say that it is false",
            *("F, T", "f. t.", "F (T)", "F ja", "F.\nT.", "✗ ✓", "❌, ✅", "false. y", "错，对"),
            "false because it may be true, so true",
        ]
    ),
]  # fmt: skip
RIGHT = [
    *(("choice", LETTER, text) for text in ONE),
    *(("choices", LETTERS, text) for text in SEVERAL),
    *(("true_false", FALSE, verdict) for verdict in VERDICTS),
]
WRONG = [  # none or several options, or one that there is not
    *(
        ("choice", LETTER, text)
        for text in ("", " ", "A and B", "A, B", "B/C", "B or C", "D", "A & B")
    ),
    ("choices", LETTERS, "A, G"), ("true_false", FALSE, "true/false"),
    ("true_false", FALSE, "True or false"),
]  # fmt: skip


@pytest.mark.parametrize(("verify", "asked", "answer"), RIGHT)
def test_a_choice_is_read_however_it_is_typed(judge, verify, asked, answer):
    assert judge(verify, answer, **asked).fraction == 1
    if verify == "true_false":
        assert judge(verify, answer, key=True).fraction == 0


@pytest.mark.parametrize(("verify", "asked", "answer"), UNREADABLE)
def test_what_names_no_option_goes_to_a_person(judge, verify, asked, answer):
    with pytest.raises(Unreadable):
        judge(verify, answer, **asked)


@pytest.mark.parametrize(("verify", "asked", "answer"), WRONG)
def test_none_or_several_options_are_wrong(judge, verify, asked, answer):
    with pytest.raises(Misfit, match="A, B or C|no option G|says both"):
        judge(verify, answer, **asked)


@pytest.mark.parametrize("answer", ["A", "C", "c)", "A tokenizer that was trained anew", "(a)."])
def test_another_letter_earns_nothing(judge, answer):
    assert judge("choice", answer, **LETTER).fraction == 0


def test_a_word_can_be_an_option(judge):
    options = {"encoder": ["encoder-only"], "both": ["encoder-decoder", "seq2seq", "seq-to-seq"]}
    right = ("encoder-decoder", "an encoder–decoder model", "seq-to-seq", "Both", "Encoder decoder")
    for answer in right[:1] + right[2:]:
        assert judge("choice", answer, key="both", options=options).fraction == 1
    assert judge("choice", "encoder", key="both", options=options).fraction == 0
    with pytest.raises(Unreadable, match="only one"):
        judge("choice", "encoder or seq2seq", key="both", options=options)


@pytest.mark.parametrize(
    "answer",
    [
        *("No, they are unique.", "no they are all different", "No two different positions can."),
        *("two different positions cannot share one", "never, each is unique"),
    ],
)
def test_no_with_a_reason_is_no(judged, answer):
    assert judged("cs224n-a4", "2b.ii", f"## 2b.ii\nanswer: {answer}").status == "passed"


@pytest.mark.parametrize(("answer", "right"), [("n", True), ("[ ] yes [x] no", True), ("y", False)])
def test_yes_and_no_may_be_a_letter_or_a_box(judged, answer, right):
    check = judged("cs224n-a4", "2b.ii", f"## 2b.ii\nanswer: {answer}")
    assert check.status == ("passed" if right else "failed")


@pytest.mark.parametrize(
    "answer",
    [
        *("not no", "not false", "no doubt: yes", "cannot say", "they cannot be told apart"),
        *("It is impossible to distinguish two positions.", "no two positions differ"),
        *("no position is unique", "No. Actually yes.", "No is wrong", "no way to tell"),
        *("no ja", "no. oui", "no, T", "no ✓"),
    ],
)
def test_a_negation_of_no_is_read_by_a_person(judged, answer):
    check = judged("cs224n-a4", "2b.ii", f"## 2b.ii\nanswer: {answer}")
    assert check.status == "needs_review"


def test_parts_have_keys_of_their_own(judge):
    settings = {"parts": ("first", "second"), "key": {"first": "A", "second": "B"}, "boxes": 3}
    for answer, phrase in (
        ({"first": "A", "second": "C"}, "`second`"),
        ({"first": "A", "second": "A or B"}, "only one"),
        ({"first": "A"}, "`second`: `second` is not answered."),
    ):
        judgement = judge("choice", answer, **settings)
        assert judgement.fraction == 0.5
        assert phrase in judgement.message
        assert judgement.actual == (f"second: {answer['second']}" if "second" in answer else "")
    with pytest.raises(Unreadable, match="`first` was read and is correct"):
        judge("choice", {"first": "A", "second": "perhaps"}, **settings)


def test_a_part_that_is_missing_was_not_read(judge):
    parts = {"first": "hm"}
    with pytest.raises(Unreadable, match="`second` is not answered") as error:
        judge("choice", parts, parts=("first", "second"), key="B", options=OPTIONS)
    assert "`second` was read" not in str(error.value)


def test_a_known_wrong_letter_has_its_hint_and_a_comment_costs_nothing(judge):
    mistakes = [("formula", "C", "it does not crash", 0.25)]
    judgement = judge("choice", "C", key="B", boxes=3, mistakes=mistakes)
    assert (judgement.fraction, judgement.hint) == (0.25, "it does not crash")
    judgement = judge("choice", "C", key="C", boxes=3, comments={"C": "the end mark is missing"})
    assert (judgement.fraction, judgement.notes) == (1, ("the end mark is missing",))


@pytest.mark.parametrize(
    ("answer", "share"),
    [("A, C", 5 / 6), ("A", 4 / 6), ("ABCDEF", 0.5), ("B, D, F", 0), ("none", 0.5), ("all", 0.5)],
)
def test_boxes_are_counted_only_where_asked(judge, answer, share):
    boxes = judge("choices", answer, **LETTERS, credit="boxes")
    whole = judge("choices", answer, **LETTERS)
    assert (boxes.fraction, whole.fraction) == (pytest.approx(share), 0)
