"""Code that corrupts nothing earns nothing; code that corrupts wrongly keeps its points."""

import textwrap

import pytest

from tests.graders.assignments.conftest import cases
from tests.planted import plain_source

POINTS = 10.0
DATASET = """

class CharCorruptionDataset(CharCorruptionDataset):
    def pair(self, text):
        text = text[: self.block_size + 1].ljust(self.block_size + 1, self.PAD_CHAR)
        ids = torch.tensor([self.stoi[ch] for ch in text], dtype=torch.long)
        return ids[:-1], ids[1:]

    def split(self, text):
        masked = random.randint(1, max(1, len(text) // 2))
        start = random.randint(0, len(text) - masked)
        return text[:start], text[start : start + masked], text[start + masked :]

    def __getitem__(self, idx):
        document, size = self.data[idx], self.block_size
        M, P = self.MASK_CHAR, self.PAD_CHAR
        limit = int(size * 7 / 8)
        cut = document[: random.randint(4, limit)]
{body}
"""

TRIVIAL = {
    "not implemented": "raise NotImplementedError",
    "pass": "pass",
    "none": "return None",
    "two nones": "return None, None",
    "x alone": "return self.pair(document)[0]",
    "the document itself": "return document, document",
    "zeros": "return torch.zeros(size, dtype=torch.long), torch.zeros(size, dtype=torch.long)",
    "empty": "return torch.zeros(0, dtype=torch.long), torch.zeros(0, dtype=torch.long)",
    "one number": "return torch.full((size,), 2), torch.full((size,), 2)",
    "all ids in turn": "t = torch.arange(size + 1) % self.vocab_size\nreturn t[:-1], t[1:]",
    "random ids": "t = torch.randint(self.vocab_size, (size + 1,))\nreturn t[:-1], t[1:]",
    "plain text": "return self.pair(document)",
    "plain text twice": "x, y = self.pair(document)\nreturn x, x",
    "plain text, cut at the limit": "return self.pair(document[:limit])",
    "plain text, half of it": "return self.pair(document[: size // 2])",
    "plain text, anywhere": (
        "at = random.randint(0, max(0, len(document) - limit))\n"
        "return self.pair(document[at : at + limit])"
    ),
    "plain text behind pads": "return self.pair(P * 4 + document[: size // 2])",
    "backwards": "return self.pair(document[::-1])",
    "backwards, cut at the limit": "return self.pair(document[:limit][::-1])",
    "sorted": "return self.pair(''.join(sorted(document[:limit])))",
    "shuffled": "return self.pair(''.join(random.sample(document[:limit], len(document[:limit]))))",
    "halves swapped": "h = limit // 2\nreturn self.pair(document[h:limit] + document[:h])",
    "all masked": "return self.pair(M * len(document))",
    "all masked, at the limit": "return self.pair(M * limit)",
    "masks behind it": "return self.pair(document[:limit] + M + M)",
    "masks before it": "return self.pair(M + M + document[:limit])",
    "masks around it": "return self.pair(M + document[:limit] + M)",
    "the document twice": "return self.pair(document[: limit // 2] + M + document[: limit // 2])",
    "a mask behind each character": "return self.pair(M.join(document[: limit // 2]))",
}

# What wrong code earns beside what examples.toml plants: each mistake costs its own checks.
PARTLY = {
    "one mask, content lost": (6.8, "a, b, c = self.split(cut)\nreturn self.pair(a + M + c)"),
    "no masks, content moved": (8.8, "a, b, c = self.split(cut)\nreturn self.pair(a + c + b)"),
    "pads for masks": (8.8, "a, b, c = self.split(cut)\nreturn self.pair(a + P + c + P + b)"),
    "single characters masked": (
        6.4,
        "return self.pair(''.join(M if random.random() < 0.15 else ch for ch in cut))",
    ),
    "one place for all": (
        7.6,
        "q = limit // 4\n"
        "return self.pair(document[:q] + M + document[2 * q : limit] + M + document[q : 2 * q])",
    ),
    "a third of the readings": (
        7.6,
        "a, b, c = self.split(cut)\n"
        "return self.pair(a + M + c + M + b if random.random() < 0.3 else cut)",
    ),
}


@pytest.fixture
def grade(grade_file):
    """The criterion's result of a dataset whose __getitem__ has this body."""

    def run(body):
        text = (plain_source() / "dataset.py").read_text(encoding="utf-8")
        text += DATASET.format(body=textwrap.indent(body, " " * 8))
        return grade_file("span-corruption", "dataset.py", text)

    return run


@pytest.mark.parametrize("body", cases(TRIVIAL))
def test_code_that_corrupts_nothing_earns_nearly_nothing(grade, body):
    assert grade(body).points <= POINTS / 10


@pytest.mark.parametrize(("points", "body"), cases(PARTLY))
def test_wrong_corruption_keeps_its_points(grade, points, body):
    result = grade(body)
    assert {check.id: check for check in result.checks}[
        "documents-are-corrupted"
    ].status == "passed"
    assert result.points == pytest.approx(points)


def test_student_reads_why_nothing_is_counted(grade):
    checks = {check.id: check for check in grade(TRIVIAL["plain text"]).checks}
    gate, skipped = checks["documents-are-corrupted"], checks["targets-are-shifted"]
    assert "the unchanged document" in gate.message
    assert "skipped until then" in gate.hint
    assert (skipped.status, skipped.outcome) == ("skipped", "blocked")
    assert "the dataset actually corrupts documents" in skipped.message


def test_cutting_alone_earns_what_cutting_is_worth(grade):
    result = grade("return self.pair(cut)")
    earned = {check.id for check in result.checks if check.fraction == 1.0}
    assert earned - {"tiny-documents"} == {
        "draws-differ", "cut-within-limits", "every-cut-length-reached"
    }  # fmt: skip
