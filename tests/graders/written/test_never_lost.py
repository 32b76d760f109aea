"""However it is typed, a correct answer never fails and an incorrect one never passes."""

import pytest

from graders.written.reading.answers import read_answers
from graders.written.reading.question_parts import expected_parts
from tests.graders.written.conftest import ask

ASKED = {  # question: right, wrong, a condition
    ("cs224n-a4", "1b"): ("q = c*(k_a + k_b)", "q = c*(k_a - k_b)", "c >> 0"),
    ("cs224n-a4", "1c.i"): ("q = cμ_a + cμ_b", "q = cμ_a - cμ_b", "c → ∞"),
    ("cs224n-a5", "1b"): ("ck_a + ck_b", "k_a + k_b", "c is large"),
    ("jhu-hw6", "2.2.2"): ("M = 2 A A^T", "M = 2 A^T A", "A^T A = I"),
    ("jhu-hw6", "2.2.3"): (r"q = \beta (k_a + k_b)", r"q = \beta k_a", r"\beta \gg 0"),
    ("jhu-hw6", "2.3.1"): ("h μ²", "μ²", "h >> 1"),
    ("jhu-hw6", "3.2.2"): ("n = 2d + 2", "n = 2d + 1", "d = 768"),
    ("jhu-hw6", "3.2.5"): ("2dn", "d*n", "n << d"),
    ("cs182-transformers", "c.i"): ("q_i_pos^T k_j_pos", "q_i^T k_j_pos", "i != j"),
    ("cs182-transformers", "c.ii"): ("(2*T - 1)*m", "2*T*m", "T >> 1"),
}
TYPED = r"""
formula: {f}, {c}
formula: {f} where {c}
formula: {f}, wobei {c} und die Schlüssel orthogonal sind
formula: {f}，其中 {c}，因为键是正交的
{f}。{c}のとき成り立つ。
formula: {f} -- {c}
formula: {f} - {c}
formula: {f} | {c}
formula: {f} % {c}
formula: {f} ({c})
(i) {f} (ii) {c}
**{f}**, {c}
- {f}\n- {c}
1. {f}\n2. {c}
> {f}, {c}
| formula | text |\n|---|---|\n| {f} | {c} |
```\n{f}\n```\n{c}
```latex\n{f}\n```
\begin{{equation}}\n{f}\n\end{{equation}}\n{c}
$$\begin{{aligned}} {f} \end{{aligned}}$$
$${f}, \quad {c}$$
\boxed{{{f}}}
### Answer\n{f}\n### Reason\n{c}
- formula: {f}\n- text: since {c}
text: {f}, {c}
We choose {f} with {c}. Then everything follows.
Ответ: {f}, где {c}.
{c} ⇒ {f}
If {c}, then {f}
{f} ∎
"""
NAMED = r"""
**{q}.** {f} because {c}
__{q}__ {f}
**{q} {f}**
# {q} {f}
## {q}: {f}
{q}: {f}, {c}
| {q} | {f} |
\textbf{{{q}}} {f}
"""
SEVERAL = r"""
**1b** {b}, **1c.i** {c}, **1d.i** q1 = c mu_a, q2 = c mu_b
1b: {b}; 1c.i: {c}; 1d.i: q1 = c mu_a, q2 = c mu_b
1b) {b} 1c.i) {c} 1d.i) q1 = c mu_a, q2 = c mu_b
For 1b we take {b}. For 1c.i, {c}. For 1d.i, q1 = c mu_a, q2 = c mu_b.
## 1b\n{b}\n*1c.i* {c}\n<b>1d.i</b> q1 = c mu_a, q2 = c mu_b
## 1b and 1c.i\n{b} and {c}\n## 1d.i\nq1 = c mu_a / q2 = c mu_b
# Question 1\n- (b) {b}\n- (c)\n    - (i) {c}\n- (d)\n    - (i) q1 = c mu_a, q2 = c mu_b
## 1b\n{b}\n## 1c\n1. {c}\n2. it varies\n## 1d\n1. q1 = c mu_a, q2 = c mu_b\n2. stable
# Answers\nNote that 1c.i is {c} and 1d.i is q1 = c mu_a, q2 = c mu_b.\n## 1b\n{b}
## 1b {b}\n## 1c.i {c}\n## 1d.i q1 = c mu_a, q2 = c mu_b
| 1b | {b} |\n| 1c.i | {c} |\n| 1d.i | q1 = c mu_a, q2 = c mu_b |
"""
BOTH = {"b": "q = c (k_a + k_b)", "c": "q = c (mu_a + mu_b)"}


def lines_of(forms):
    return [form.replace(r"\n", "\n") for form in forms.strip().split("\n")]


@pytest.fixture
def said(judged):
    """`passed`, `waits` or `fails`: what a check says of one question of an answers file."""

    def of(*arguments):
        check = judged(*arguments)
        return {"passed": "passed", "needs_review": "waits"}.get(check.status, "fails")

    return of


@pytest.mark.parametrize(("assignment", "question"), ASKED)
def test_typing_decides_no_formula(said, assignment, question):
    right, wrong, condition = ASKED[assignment, question]
    below = [f"## {question}\n\n{form}" for form in lines_of(TYPED)]
    for form in (*below, *lines_of(NAMED))[list(ASKED).index((assignment, question)) % 3 :: 3]:
        texts = [form.format(q=question, f=formula, c=condition) for formula in (right, wrong)]
        assert said(assignment, question, texts[0]) != "fails", texts[0]
        assert said(assignment, question, texts[1]) != "passed", texts[1]


@pytest.mark.parametrize("form", lines_of(SEVERAL))
@pytest.mark.parametrize("question", ["1b", "1c.i", "1d.i"])
def test_no_neighbor_swallows_an_answer(said, question, form):
    assert said("cs224n-a4", question, form.format(**BOTH)) != "fails"


def test_an_answer_that_begins_within_another_one_waits(said):
    lines = f"1 b) {BOTH['b']}\n1 c) i) {BOTH['c']}\n2 b) ii) no"
    assert said("cs224n-a4", "2b.ii", lines.replace("\n", " ")) == "waits"
    assert said("cs224n-a4", "2b.ii", lines) == "passed"


def test_parts_below_the_letter_of_their_group_are_read(said):
    text = "(b) add: x_1 x_2\n\n(c) (i) q_i_pos^T k_j_pos\n(ii) (2T-1) m\n\n(d) several"
    assert said("cs182-transformers", "c.i", text) == said("cs182-transformers", "c.ii", text)
    assert said("cs182-transformers", "c.ii", text) == "passed"
    assert said("cs182-transformers", "c.ii", text.replace("(b)", "## b\n")) == "passed"


def test_text_below_an_unknown_heading_may_be_the_next_answer(said):
    text = f"## 1b\n{BOTH['b']}\n## The next one\n{BOTH['c']}\n## 1d.i\nq1 = c mu_a, q2 = c mu_b"
    assert said("cs224n-a4", "1b", text) == "passed"
    assert said("cs224n-a4", "1c.i", text) == "waits"
    assert said("cs224n-a4", "2b.ii", text) == "fails"


@pytest.mark.parametrize(
    "following",
    [
        "\n### (ii)\n{w}", "\n## (ii)\n{w}", "\n## Part ii: heads\n{w}", "\n(ii)\n{w}",
        "\n(ii) {w}", "(ii) {w}", "- ii. {w}", "\n**ii.**\n{w}", "**ii.** {w}", "\n{w}",
        "\n## Stability\n{w}", "\n### More\n{w}", "\n## (ii)\n{w}\n## 1d.ii\n",
        "\n{w}\n\n## 1d.ii\n\ntext:\n",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "first", ["## 1d(i)", "**1d i.**", "# Question 1d\n## (i)", "## 1d.i: Two"]
)
def test_what_follows_a_sibling_is_read_or_waits(judged, said, first, following):
    words = "Each of the heads keeps one value."
    text = f"## 1a.i\nwhy\n\n{first}\nq1 = c mu_a, q2 = c mu_b\n{following.format(w=words)}\n"
    check = judged("cs224n-a4", "1d.ii", text, "review")
    assert (check.status, words in check.actual) == ("needs_review", True)
    assert said("cs224n-a4", "1d.i", text) == "passed"
    left = judged("cs224n-a4", "1d.i", text).message
    assert left in ("", *check.message.split("\n")), "the sibling has no note on what is left over"
    assert said("cs224n-a4", "3g.ii", text, "review") == "fails"


def test_points_of_an_answer_are_no_further_questions(judged):
    """What numbers its own points, `(i)` first, keeps them; the names of values are no text."""
    text = "## 1a.i\n### (i)\nfirst\n### (ii)\nsecond"
    for question in ("1a.i", "1a.ii"):
        assert judged("cs224n-a4", question, text, "review").actual.endswith("second")
    text = "## 1d.i\n(i) q1 = c mu_a\n(ii) q2 = c mu_b"
    assert judged("cs224n-a4", "1d.i", text).status == "passed"
    assert judged("cs224n-a4", "1d.ii", text, "review").message == "Not answered."


@pytest.mark.parametrize("answer", ["(b)", "b) as it is larger", "**b)**", "**B.**", "- b."])
def test_a_letter_may_be_the_answer_and_not_the_next_question(answer):
    questions = [ask("1a", "choice", ("choice",)), ask("1b")]
    wanted = tuple(expected_parts(question) for question in questions)
    read = read_answers({"answers.md": f"## 1a\n\n{answer}\n".encode()}, wanted)
    assert "b" in read.of("1a").text("choice").casefold()
    assert not read.of("1b").parts


def test_what_yaml_has_below_a_sibling_waits():
    wanted = tuple(
        expected_parts(question) for question in (ask("1d.i", "formula", ("q1",), ""), ask("1d.ii"))
    )
    content = b"1d.i:\n  q1: a\n  ii: It is stable.\n"
    answer = read_answers({"answers.yaml": content}, wanted).of("1d.ii")
    assert answer.unplaced == "ii: It is stable."
    assert "line 3" in answer.notes[0]


def test_a_table_may_be_a_mapping_in_yaml():
    wanted = (expected_parts(ask("Q4.7", "table", ("runs",), "")),)
    content = b"Q4.7:\n  lr: 1e-5\n  epochs: 10\n  dev: 0.93\n"
    answer = read_answers({"answers.yaml": content}, wanted).of("Q4.7")
    assert answer.text("runs") == "lr: 1e-5\nepochs: 10\ndev: 0.93"
    assert (answer.notes, answer.unplaced) == ((), "")


@pytest.mark.parametrize("form", [form for form in lines_of(TYPED) if "Schlüssel" in form])
def test_a_reason_beside_a_formula_is_read_by_a_person(said, form):
    text = f"## 1b\n\n{form.format(f=BOTH['b'], c='c >> 0')}"
    assert said("cs224n-a4", "1b", text, "review") == "waits"


def test_a_formula_alone_gives_no_reason(said):
    text = "## 1b\n\nformula: " + BOTH["b"]
    assert said("cs224n-a4", "1b", text, "review") == "fails"


@pytest.mark.parametrize("question", ["1a.ii", "1c.i", "2a.i", "4a"])
def test_what_is_nowhere_is_not_answered(said, question):
    text = "My name is Ada.\n\n## 1b\n\nformula: " + BOTH["b"] + "\ntext: 24 of 3.5, not -44"
    role = "machine" if question == "1c.i" else "review"
    assert said("cs224n-a4", question, text, role) == "fails"


@pytest.mark.parametrize("number", ["batch size 32", "[[23.5, 32.5], [0, 1]]", "-44", "33.3 %"])
def test_a_number_names_no_question(said, number):
    text = f"## Q2.2\nWe use {number} here.\n"
    questions = ("Q3.2", "Q3.3", "Q4.4")
    assert [said("uw-a2", question, text, "review") for question in questions] == ["fails"] * 3
    named = [f"## Q2.2\nSee {question.removeprefix('Q')} below.\n" for question in questions]
    pairs = zip(questions, named, strict=True)
    assert [said("uw-a2", question, text, "review") for question, text in pairs] == ["waits"] * 3


@pytest.mark.parametrize(
    ("heading", "verdict"), [("(2 points)", "fails"), ("(2*T - 1)*m", "passed")]
)
def test_points_behind_a_title_are_no_answer(said, heading, verdict):
    assert said("cs182-transformers", "c.ii", f"## c.ii: {heading}\n") == verdict
