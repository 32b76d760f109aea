"""Answers in a LaTeX document: they are read, and nothing that is read wrongly costs points."""

import pytest

from graders.written.reading.latex_document import as_markdown

PREAMBLE = r"""\documentclass{article}
\newcommand{\mean}[2]{\beta\,(#1 + #2)}  % a comment
\def\key#1{k_{#1}}
\DeclareMathOperator{\softmax}{softmax}
"""
CURVE = "\n".join(rf"{n} & {0.6 + n / 100:.2f} & {0.7 - n / 100:.2f} \\" for n in (1, 2, 3))


def document(body):
    return f"{PREAMBLE}\\begin{{document}}\n{body}\n\\end{{document}}\nignored\n"


@pytest.mark.parametrize(
    "body",
    [
        r"\section*{1 (b)} \[ q = \mean{\key{a}}{\key b} \]",
        "\\section{Question 1}\n\\subsection*{\\textbf{(b)} The mean}\n$q = \\beta (k_a + k_b)$",
        "\\paragraph{1b}\n\\begin{align*}\nq = \\mean{k_a}{k_b}\n\\end{align*}",
        "\\section*{1b}\n\\noindent formula: $\\beta(k_a + k_b)$ % my answer\n",
    ],
)
def test_a_right_answer_earns_its_points(judged, body):
    assert judged("cs224n-a4", "1b", document(body)).status == "passed"


@pytest.mark.parametrize("body", [r"\section*{1b} $q = \beta k_a$", r"\section*{1a} why"])
def test_what_seems_wrong_or_missing_goes_to_a_person(judged, body):
    verdict = judged("cs224n-a4", "1b", document(body))
    assert verdict.status == "needs_review"
    assert judged("cs224n-a4", "1b", "## 1b\nq = k_a\n").status == "failed"


def test_lines_keep_their_numbers_and_tables_are_tables():
    table = f"\\begin{{tabular}}{{lrr}}\n\\toprule\nepoch & train & dev \\\\\n\\midrule\n{CURVE}\n"
    text = document(f"\\section{{1}}\n{table}\\bottomrule\n\\end{{tabular}}\n\\section{{2}}")
    lines = as_markdown(text).split("\n")
    assert lines[text.split("\n").index(r"\section{2}")] == "# 2"
    start = lines.index("| epoch | train | dev |")
    assert lines[start + 1 : start + 3] == ["|---|---|---|", "| 1 | 0.61 | 0.69 |"]
    assert "ignored" not in lines


@pytest.mark.parametrize(
    "text",
    [
        r"\section{1b} $q$ 50% of it",
        "## 1a\nC\n\n## 1b\n\\documentclass{a}\\begin{document}\\end{document}",
        "```\n\\documentclass{a}\n\\begin{document}\n```\n## 1a\nC",
    ],
)
def test_what_is_no_document_is_left_as_it_is(text):
    assert as_markdown(text) == text


def test_listings_are_fences_and_layout_is_not_text():
    body = "\\begin{verbatim}\nK = 1\n\\end{verbatim}\n\\itemsep0pt f''(x)"
    lines = as_markdown(document(body)).split("\n")
    assert lines[-5:-1] == ["```", "K = 1", "```", r"\itemsep0pt f''(x)"]


@pytest.mark.parametrize(
    "body",
    [
        r"\newcommand{\x}{\x\x}",
        r"\newcommand{\x}{\y\y\y\y}\newcommand{\y}{\z\z\z\z}\newcommand{\z}{\x\x\x\x}",
        r"\newcommand{\x}[1]{" + "#1" * 200 + "}",
        r"\newcommand{\x}[3]{" + "#1" * 200 + r"}\newcommand{\a}{\x{" + "#2" * 200 + "}{yy}{z}}",
        r"\newcommand{\x}" + " " * 2**20,
        r"\newcommand{\x}{" * 2**16,
    ],
)
def test_macros_that_grow_without_end_are_stopped(body, cpu_seconds):
    used = r"\x{aaaa} " * 50_000 + r"\x{" * 50_000
    with cpu_seconds(20):
        start = f"\\documentclass{{article}}\n{body}\n\\begin{{document}}"
        text = as_markdown(f"{start}\n{used}\\end{{document}}")
    assert len(text) < 10 * 2**20


def test_what_cannot_be_read_as_text_goes_to_a_person(judged):
    rows = r"a \\ " * 25_000
    for body in (rf"\begin{{tabular}}{{c}}{rows}\end{{tabular}}", ""):
        assert judged("cs224n-a4", "1b", document(body)).status == "needs_review"


@pytest.mark.parametrize(
    "piece",
    ["{", r"\section{", r"\begin{tabular}{", r"\item[", r"\textbf{", r"\\[", "\n", r"\label{"],
)
def test_unclosed_pieces_take_no_time(piece, cpu_seconds):
    with cpu_seconds(20):
        as_markdown(document(piece * (2**20 // len(piece))))
        as_markdown(document(rf"\begin{{tabular}}{{c}}{piece * 2**17}\end{{tabular}}"))
