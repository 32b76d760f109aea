"""Texts for formulas: correct, random and hostile ones, and a reader that tries everything.

`tests/graders/written/verifiers/test_hostile.py` reads the same pieces and nasty texts.
"""

import random
from collections.abc import Iterator

import numpy as np

from graders.written.formula import FormulaError, Value, evaluate, parse, polynomial
from graders.written.formula.shapes import LARGEST

RNG = np.random.default_rng(5)
MATRIX = RNG.standard_normal((LARGEST, LARGEST))
NAMES = ("beta", "k_a", "k_b", "A", "B", "a_i", "m", "d", "h", "n", "mu_a", "T", "u_a")
VALUES: dict[str, Value] = {
    **{name: RNG.standard_normal(LARGEST) for name in ("k_a", "k_b", "mu_a", "u_a")},
    **{"beta": 100.0, "m": 64.0, "d": 64.0, "h": 8.0, "n": 12.0, "T": 5.0},
    **{"A": MATRIX, "B": MATRIX.T @ MATRIX},
}
FAMILIES = {"a": [RNG.standard_normal(LARGEST) for _ in range(LARGEST)]}

RIGHT = (
    "beta*(k_a + k_b)", "β(kₐ+k_b)", r"q = \beta\left(\mathbf{k}_a+\mathbf{k}_b\right)",
    "2 A A^T", "2*sum_i a_i a_i^T", r"2\sum_{i=1}^{m} a_i a_i^\top", "2A(A^T A)^{-1}A^T",
    "(2(T-1)+1)m", "O(M^2 k)", "130d+2", r"h(\sigma^4 + 2\mu^2\sigma^2)", "min(T, 2^n)",
    "sqrt(h)*log(1000*n)*(k_a+k_b)", "β⁻²(u_a u_aᵀ − k_b k_b')", "||k_a||^2/|h|",
)  # fmt: skip
PIECES = (
    "(", "[", "1,", "1 ", "A ", "- ", "not ", "=", "\\", "_", "{", "$", "|", "<", "1/", "sqrt(",
    "\n", "1;", "&", "\\frac{", "T", "^", "⊤", "-", "(1)", "\x00", "\u202e", "\ud800", "k_a+",
    "beta*", "^2", "sum_i ", "A A^T ", "9^9^", "exp(", "inv(A A^T)", "(d+1)^8*", "1e308*",
    "the answer is ", "'", "||", "√", "½", r"\mathbf{", ",000", "min(", "d\u0301",
)  # fmt: skip
NASTY = (
    "", "nan", "1/0*k_a", "0*k_a/0", "1e308*1e308*k_a", "log(0)*k_a", "sqrt(-1)*(k_a+k_b)",
    "sum_i sum_i sum_i k_i", "sum_{i=1}^{1e9} k_i", "sum_{i=1}^{64} sum_{j=1}^{64} k_a",
    "(A A^T)^16^16", "d^d^d^d", "exp(exp(exp(d)))", "((d+1)^8)^8", "inv(0*I)", "pinv(0*A)",
    "[[[[[[1]]]]]]", "[1,[2,3]]", "1;2,3", "k_a/k_a", "a_9", "1e-400(k_a+k_b)", "n^n^n(k_a+k_b)",
    "(" + " " * 390, "(" * 300 + "d" + ")" * 300, "[(])", "a" * 2001, "10^10^10^10", "0^-1",
    "sum_i sum_j sum_k a_i a_j^T a_k", "sum_{i=0/0}^{m} i", "sum_{i=1}^{beta/3} i",
    "sum_i " + "inv(" * 45 + "a_i a_i^T + I" + ")" * 45, "sum_i B^16 B^16 B^-16 a_i",
    "(d+m)^16*(d+h)^16*(d+n)^16", "((((d^16)^16)^16)^16)^16", "(1e300 d)^16", "(d-d)^-1",
    r"\frac{1}{" * 199 + "d" + "}" * 199, r"\def\x{\x\x}\x", "__import__('os').system('ls')",
    "{0.__class__}", "%s%s%n", ", " + " " * 1990 + ">", "sum(a_i for i in " + "(" * 900,
    "k_{a_{b_{c}}}", "a = b = c = d", "1.2.3", "k\u200b_a", "①", "min(" + "d," * 99 + "d)",
)  # fmt: skip


def soup(draw: random.Random) -> str:
    """Return pieces of formulas in random order."""
    return draw.choice(("", " ")).join(draw.choices(PIECES, k=draw.randint(1, 60)))


def noise(draw: random.Random) -> str:
    """Return arbitrary characters."""
    kinds = (0x7F, 0x3FF, 0x2FFF, 0x10FFFF)
    return "".join(chr(draw.randint(0, draw.choice(kinds))) for _ in range(draw.randint(1, 200)))


def spoiled(draw: random.Random) -> str:
    """Return a correct answer with some characters lost, doubled, replaced or moved."""
    text = list(draw.choice(RIGHT) * draw.choice((1, 1, 1, 9)))
    for _ in range(draw.randint(1, 6)):
        start = draw.randrange(len(text))
        end = start + draw.randint(0, 3)
        text[start:end] = draw.choice(("", *PIECES, "".join(text[start:end]) * 2))
        text = text or ["d"]
    return "".join(text)


def hostile_texts() -> Iterator[str]:
    """Yield the nasty texts, and each piece once, often and endlessly."""
    yield from NASTY
    yield from (piece * times for piece in PIECES for times in (1, 40, 2500))


def random_texts(count: int, seed: int) -> Iterator[str]:
    """Yield `count` texts of all three kinds."""
    draw = random.Random(seed)
    for _ in range(count):
        yield draw.choice((soup, noise, spoiled))(draw)


def read(text: str) -> None:
    """Do everything that the checker does with a text; it rejects only with FormulaError."""
    try:
        formula = parse(text, NAMES)
    except FormulaError as error:
        error.pointed()
        return
    _ = formula.names, formula.unknown
    for work in (lambda: evaluate(formula, VALUES, families=FAMILIES), lambda: polynomial(formula)):
        try:
            work()
        except FormulaError as error:
            error.pointed()
