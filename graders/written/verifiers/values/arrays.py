"""Find vectors and matrices in an answer: only numbers, or in brackets among words."""

import re
from collections.abc import Sequence

from graders.written.judgement import Misfit, Unreadable
from graders.written.values.array import LONGEST, Array, read_array
from graders.written.values.words import denies, narrow
from graders.written.verifiers.values.found import FEW_WORDS, MOST, Found

_ENVIRONMENT = r"(?:[pbvBV]?matrix|array|smallmatrix)\*?"
# A list of numbers in brackets, of lists, or in LaTeX; a factor after a sign belongs to it.
_LIST = re.compile(
    rf"(?:-?\d[\d.,]{{0,20}}\s?(?:\*|·|×|\\cdot|\\times)\s?)?(?:"
    rf"\\begin\{{{_ENVIRONMENT}\}}.{{1,600}}?\\end\{{{_ENVIRONMENT}\}}"
    r"|[\[(⟨]\s{0,9}(?:[\[(][^\[\]()A-Za-z]{1,200}[\])][\s,;]{0,9}){1,12}[\])]"
    r"|[\[(⟨][^\[\]()⟨⟩A-Za-z=]{3,300}[\])⟩])"
    r"(?:\s?/\s?\d[\d.]{0,20})?",
    re.DOTALL,
)
_WORD = re.compile(r"(?<![\\\w{.])[^\W\d_]{2,}")  # `because`
_NOTATION = frozenset({
    *("np", "numpy", "torch", "jnp", "array", "tensor", "matrix", "asarray", "zeros", "dtype"),
    *("device", "cpu", "cuda", "grad_fn", "requires_grad", "and", "und", "et", "sqrt", "exp", "ln"),
    *("log", "pi", "lcr", "cc", "ccc", "cccc", "rrr"),
})  # fmt: skip


def arrays_in(text: str, shapes: Sequence[tuple[int, ...]]) -> Found[Array]:
    """Return the arrays with one of the shapes. Raises Unreadable or Misfit if there is none."""
    short = narrow(text[:LONGEST])
    words, found = _words(short), _listed(short, shapes)
    fault = Unreadable("No vector was found; write it in brackets, such as `[1, 2.5, -3]`.")
    try:
        value = read_array(text, shapes)
        if not words and len(found) < 2:
            return Found((value,), (text,))
        # `S k_0 with S = 1,000,000` contains no vector, although there are numbers after the `=`.
        if "=" not in text or not value.any():
            found = found or {text: value}
    except Unreadable as error:
        fault = error
    if not found:
        raise fault
    shown = tuple(" ".join(each.split()) for each in found)
    rest = _LIST.sub(" ", short)
    sure = len(_words(rest)) <= FEW_WORDS
    return Found(tuple(found.values()), shown, plain=False, denied=denies(rest), sure=sure)


def without_arrays(text: str) -> str:
    """Return the text with a semicolon instead of each list of numbers."""
    return _LIST.sub(" ; ", narrow(text[:LONGEST]))


def _words(text: str) -> list[str]:
    """Return the words of any language in a text, without those used in notation."""
    return [word for word in _WORD.findall(text) if word.casefold() not in _NOTATION]


def _listed(text: str, shapes: Sequence[tuple[int, ...]]) -> dict[str, Array]:
    """Return the arrays in brackets by their text, each value once."""
    found: dict[str, Array] = {}
    for each in _LIST.finditer(text):
        try:
            value = read_array(each[0], shapes)
        except (Misfit, Unreadable):
            continue
        if not any((value == other).all() for other in found.values()):
            found[each[0]] = value
        if len(found) > MOST:
            break
    return found
