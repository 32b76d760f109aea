"""Files that are not answers: unreadable, hostile, endless."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graders.written.reading.answers import LARGEST, Unusable, read_answers


def test_a_code_block_that_is_not_closed_swallows_nothing(read):
    answers = read("## 1d.ii\n```\nwhy\n\n## 1b\nformula: 2*x\n")
    assert answers.of("1b").text("formula") == "2*x"
    assert "line 2 is not closed" in answers.notes[0]


@pytest.mark.parametrize(
    ("content", "name", "why"),
    [
        (b"", "answers.md", "empty"),
        (b"x" * (LARGEST + 1), "answers.md", "1 MiB"),
        (b"\x00\x01PK", "answers.md", "not text"),
        (b"\xff\xfe\x00", "answers.md", "not text"),
        (b"just words", "answers.yaml", "no questions"),
        (b"x: " + b"[" * 5000, "answers.yaml", "nested too deep"),
        (b"x: [" + b"1," * 50_000 + b"1]", "answers.yaml", "more than"),
        (b"x: 'open", "answers.yaml", "line 1"),
        (b"{a: &x [1], b: *x}", "answers.yaml", "anchor"),
        (b"\n" * 30_000 + b"x", "answers.md", "lines"),
        (b"%PDF-1.7\n## 1b\n", "answers.md", "a PDF"),
        (b"PK\x03\x04 1b: x", "answers.yaml", "Word"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(content, name, why, read):
    with pytest.raises(Unusable, match=why):
        read(content, name)


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1"]
)
def test_yaml_is_read_in_many_encodings(encoding, read):
    answers = read("1d.ii: größer\r\nQ3.1: C\r\n".encode(encoding), "answers.yaml")
    assert (answers.of("1d.ii").text("text"), answers.of("Q3.1").text("choice")) == ("größer", "C")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_with_a_mark_are_read(encoding, parts_of):
    assert parts_of("## 1b\nformula: β*x\n".encode(encoding), "1b") == {"formula": ["β*x"]}


def test_of_two_files_the_readable_one_is_read(asked):
    files = {"answers.md": b"\x00", "answers.yaml": b"Q3.1: C"}
    answers = read_answers(files, asked)
    assert answers.of("Q3.1").text("choice") == "C"
    assert "answers.md" in answers.notes[0]


NASTY = [
    "#" * 200_000, "# a\n" * 200_000, "*" * 400_000, "`" * 300_000, "<!--" * 200_000,
    "## 1b\n" + "[" * 300_000, "## 1b\nformula: " + " " * 500_000, "## 1b\n" + "> " * 200_000,
    "## 1b\n" + "- " * 300_000, "## 1b\n" + "$" * 300_000, "$$" * 300_000,
    "```\n" * 200_000, "## 1b\n" * 150_000,
    "## 1b\n\n" + "formula: x\n" * 90_000, "\n" * 900_000, "## 1b\n" + " " * 900_000,
    "**" * 400_000, "## 1b\n" + "a, " * 300_000 + "where", "1b: x\n" * 150_000,
    "1b: 'x\n" * 19_000, "1:\n" + " b: [x\n" * 19_000, "1b: '" + " " * 900_000 + "\n1d.i: [",
    "".join(f"{' ' * n}{n}: [\n" for n in range(900)), "1b:\n" + "\t" * 900_000 + "x: y",
    "x1: {\n" * 19_000, "1b: [x\n" + "k: v\n" * 19_000, "- " * 400_000, "{" * 900_000,
    "## 1b\nx" + " " * 1900 + "y\n", "".join(f"{' ' * n}a:\n" for n in range(1300)),
    "## 1b\n" + ("**a" + " " * 200 + "\tb\n") * 5_000,
]  # fmt: skip


@pytest.mark.parametrize("name", ["answers.md", "answers.yaml"])
@pytest.mark.parametrize("text", NASTY, ids=range(len(NASTY)))
def test_no_text_takes_long(text, name, cpu_seconds, read):
    with cpu_seconds(10):
        try:
            read(text, name)
        except Unusable:
            return


LINES = (
    "## 1b", "formula: x", "# 1", "## b", "```", "$$", "text:", "- q1: a", "<!--", "-->",
    "> x", "---", "## 1d.i", "**1b**", "1b: y", "", "K = 1", "## 9z", "### formula", "|a|",
)  # fmt: skip
MIXTURES = st.lists(st.sampled_from(LINES), max_size=12).map("\n".join)
TEXTS = st.text(max_size=300) | MIXTURES


@given(
    TEXTS.map(str.encode) | st.binary(max_size=100), st.sampled_from(["answers.md", "answers.yaml"])
)
@settings(max_examples=300)
def test_no_content_raises_anything_else(read, content, name):
    try:
        read((b"## 1b\n" if name == "answers.md" else b"1b: ") + content, name)
    except Unusable:
        return
