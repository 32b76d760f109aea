"""Texts for formulas: correct, random and hostile ones, and a reader that tries everything."""

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
TOKENS = (
    "beta", "β", r"\beta", "k_a", "k_{a}", "kₐ", "A", "a_i", "T", "m", "x", "I", "e", "foo",
    "for",
    "1", "2", "0.5", "1e3", "1,000", "½", "10^6", "+", "-", "−", "*", "·", r"\cdot", "/", "^",
    "**",
    "^T", "'", ".T", "ᵀ", "^{-1}", "^{", "²", "_", "_{", "(", ")", "[", "]", "{", "}", "|", "||",
    r"\|", r"\left(", r"\right)", r"\frac", r"\frac{1}{2}", r"\sqrt", "√", "log", "exp", "inv(",
    "norm(", "outer(", "min(", ",", "sum", "sum_i", r"\sum_{i=1}^{m}", "Σ_i", "∑", "=", "O(",
    "Θ(",
    r"\mathbf{", r"\text", "$", ".", ";", " ", "\n", "⟨", "⟩", "⊗", "†", "…", "∞", "≫", "\u200b",
)  # fmt: skip
DEEP = 300
NASTY = (
    "", " ", "\0", "a\0b", "\ud800", "\udfff k_a", "\u202e)(k_a+k_b)beta", "k\u200b_a",
    "k\u0301_a",
    "(" * DEEP + "d" + ")" * DEEP, "(" * 1999, ")" * 1999, "((((", "{" * 999 + "}" * 999, "[(])",
    "1e999", "1e-999", "1e99999999999", "9**9**9", "9**9**9**9**9", "10^10^10^10",
    "d^9999999999",
    "9" * 1999, "0." + "0" * 1990 + "1", "2^-2^-2^-2", "1/0", "0/0", "0^0", "0^-1", "(-1)^0.5",
    "a" * 1999, "a" * 2000, "a" * 2001, "x" * 10_000_000, " " * 2000, "," * 1999, " ," * 999,
    "beta" * 499, "k_a" * 600, "k_" * 900, "_" * 1999, "^" * 1999, "'" * 1999, "A" + "'" * 1990,
    "-" * 1999, "d" + "-" * 150 + "d", "+".join("d" * 199), "d" * 199, "*".join("A" * 100),
    "2^" * 99 + "2", "2^{" * 99 + "2" + "}" * 99, "|" * 1999, "||" * 999, "|x" * 500,
    "||x|" * 400,
    "sum_i " * 300 + "a_i", "sum_i sum_j sum_k a_i a_j^T a_k", "sum_i " * 9 + "a_i a_i^T",
    "∑" * 1999, "sum(" * 400, "sum_{i=1}^{9999999999} a_i", "sum_{i=1}^{m}" * 40 + "1",
    "sum_{i=1}^{1e308} i", "sum_{i=0/0}^{m} i", "sum_{i=1}^{beta/3} i", "sum_{i=-64}^{64} i",
    "sum_i " + "inv(" * 45 + "a_i a_i^T + I" + ")" * 45, "sum_i " + "A " * 150 + "a_i",
    "sum_i B^16 B^16 B^-16 a_i", "sum_i pinv(A) pinv(A) a_i", "(d+m+h+n+beta)^16", "(d+1)^16^16",
    "(d+m)^16*(d+h)^16*(d+n)^16", "((((d^16)^16)^16)^16)^16", "((((10^16)^16)^16)^16)^16",
    "(1e300 d)^16", "(d^-1+1)^-1", "(d-d)^-1", "1/(d-d)", "log " * 400 + "d", "√" * 1999 + "d",
    "log" * 600, r"\log" * 400, r"\frac" * 300, r"\frac{1}{" * 199 + "d" + "}" * 199,
    r"\sqrt{" * 280 + "d" + "}" * 280, r"\mathbf{" * 240 + "d" + "}" * 240, r"\text{" * 300,
    "\\" * 1999, r"\def\x{\x\x}\x", r"\input{/etc/passwd}", r"\newcommand{\a}{\a\a}\a",
    r"\begin{a}",
    r"\csname a\endcsname", r"\loop\iftrue\repeat", r"\write18{ls}", r"\left" * 300, "$" * 1999,
    "__import__('os').system('ls')", "eval('1')", "().__class__.__bases__", "lambda: 0",
    "a if b",
    "{0.__class__}", "%s%s%n", "{}" * 900, "${d}", "`ls`", "<script>alert(1)</script>", "A;B",
    "A#B",
    "d" + "\u0301" * 1000, "\u200b" * 1999, "\u202e" * 1999, "\U0001f600", "①", "㎏", "ﷺ", "ŉ",
    "ª", "™",
    *(
        "\u00bd" * 999,
        "\u2080" * 1999,
        "\u00b2" * 1999,
        "ₐ²" * 900,
        "\ufdfa" * 1999,
        "１２３",
        "𝜷𝒌",
    ),
    "1" + ",000" * 499, "1" + "_000" * 499, "1.2.3", "1..2", ".", "..", "1.", ".5", "1e", "1e+",
    "0x10",
    "=" * 1999, "d=" * 900, "q = ", "= q", "a = b = c = d", "sum_i=", "sum_{i=",
    "q = q = 2 A A^T",
    " " * 1990 + "=", " " * 1990 + "≫", ", " + " " * 1990 + ">", "d" + " " * 1990 + "for",
    "." * 1999,
    "<" * 999 + ">" * 999, "<a," * 600, "⟨" * 999, "⟨d,d⟩", "min()", "min(" * 60,
    "min(" + "d," * 99 + "d)",
    "f(" * 600, "T" * 1999, "A^T" * 150, "A^{T" * 400, "^{-T}" * 300, "I" * 150, "eye(3)",
    "inv(I)",
    "sum(a_i for i in " + "(" * 900, "sum(" + ", i=1.." * 280, "k_{" + "a" * 1900 + "}",
    "k_{a_{b_{c}}}",
)  # fmt: skip


def soup(draw: random.Random) -> str:
    """Return pieces of formulas in random order."""
    return draw.choice(("", " ")).join(draw.choices(TOKENS, k=draw.randint(1, 60)))


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
        text[start:end] = draw.choice(("", *TOKENS, "".join(text[start:end]) * 2))
        text = text or ["d"]
    return "".join(text)


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
