"""Normalize the many ways of typing a formula to one plain notation."""

import re

from graders.written.formula.errors import FormulaError
from graders.written.formula.reading.characters import GREEK, plain_characters
from graders.written.formula.reading.latex import without_latex
from graders.written.formula.reading.marked import Marked
from graders.written.formula.vocabulary import APPLIED, Vocabulary

LONGEST = 2000  # characters
MOST_SIDES = 6  # expressions between `=`
# Matches `1,000` or `1{,}000`.
GROUPED = re.compile(
    r"(?<![\d.,\w])\d{1,3}(?:(?:,|\{,\}|\\,|[\u2009\u202f\u00a0_])\d{3})+(?![\d,]|\.\d*,)"
)
NOT_A_DIGIT = re.compile(r"\D")
DECIMAL_COMMA = re.compile(r"(?<![\d.,])\d+,\d+")  # `0,5`
SEVERAL = re.compile(r"(?:min|max|outer|dot|inner|matmul)\b|⟨|<")
FENCED = re.compile(r"^\s*(\*\*|\*|\"|')(.*)\1\s*$", re.DOTALL)
PLAINER = tuple(
    (re.compile(pattern), plain)
    for pattern, plain in (
        (r"\b(?:np|numpy|torch|math)\.(?:linalg\.)?(?=[A-Za-z])", ""),
        (r"\.\s?(?:mT|T|t\(\)|transpose\(\))(?![A-Za-z])", "⊤"),
        (r"\.\s?(?:mm|mv|matmul|dot)\s?(?=\()", "·"),
        (r"\*\*", "^"),
        (r"\|\|", "‖"),
        (r"!=", "≠"),
        (r"(?<=[A-Za-z0-9)}\]⊤α-ω])\s*\.\s*(?=[A-Za-z(α-ω])", "·"),
    )
)
ESCAPED = re.compile(  # the form of `\\beta` and others inside a YAML file's double quotes
    "\b(?=eta|old|ig|m\\b)|\f(?=rac)|\t(?=op|imes|ext|frac|au|heta)|\r(?=ight|ho|angle)"
    "|\a(?=lpha|pprox)|\v(?=ec|ert)|\\\\\\\\(?=[A-Za-z])"
)
UNESCAPED = {"\b": "\\b", "\f": "\\f", "\t": "\\t", "\r": "\\r", "\a": "\\a", "\v": "\\v"}
LOWERED = re.compile(r"<sub>([^<>]*)</sub>")
RAISED = re.compile(r"<sup>([^<>]*)</sup>")
ANGLES = re.compile(r"<([^<>,=]+,[^<>,=]+)>")
TWO_NORM = re.compile(r"([‖|])\s*_\s*(?:\{\s*2\s*\}|2)")
FOLDED = re.compile(r"(?<![A-Za-z])sum\s*\(")
# Matches ` for i in range(n))`.
COMPREHENSION = re.compile(
    r"\s+for\s+(?:all\s+)?[a-z]\s+in\s+(?:range\s*)?(?:\([^()]*\)|[\w\s.,…]*)(?=\s*\))"
    r"|,\s*[a-z]\s*(?:=\s*\d+\s*(?:[.…:]+|to)\s*\w+)?(?=\s*\))"
)
# Matches `^T` or `^{⊤}` or `^'`.
TRANSPOSE = re.compile(r"\^\s*(?:\{\s*(?:T|⊤|')\s*\}|\(\s*(?:T|⊤)\s*\)|⊤|'|T(?!heta|otal))")
NAMED_TRANSPOSE = re.compile(r"\^\s*\{\s*([A-Za-z]{2,})\s*,?\s*(?:⊤|T)\s*\}")  # `^{posT}`
SMALL_TRANSPOSE = re.compile(r"\^\s*(?:\{\s*t\s*\}|t(?![A-Za-z]))")  # `^t` or `^{t}`
INVERSE_TRANSPOSE = re.compile(r"\^\s*\{\s*-\s*(?:T|⊤)\s*\}")
PSEUDO_INVERSE = re.compile(r"\^\s*(?:\{\s*[†+]\s*\}|†|\+(?=\s*(?:$|[)*])))")  # `^†` or `^+`
# Matches `⊤_a`.
LATE_SUBSCRIPT = re.compile(
    r"[⊤'](\s*_\s*(?:\{[^{}]*\}|[A-Za-z0-9](?=[A-Za-z]*_)|[A-Za-z0-9]+|[α-ω]))"
)
# Matches `key[0]` or `k[a, :]`.
INDEXED = re.compile(r"([A-Za-z]+|[α-ω])\[\s?([A-Za-z]|\d{1,3})\s?(?:,\s?:\s?)?\]")
END = re.compile(r"[\s.,;:!]+$")
# Matches `, β ≫ 0`.
CONDITION = re.compile(
    r"(?:[,;]\s*|\s*\()\s*(?:[A-Za-z]+|[α-ω])\s*(?:≫|>>?|→|->)\s*[^,;=]{1,40}$"
    r"|\s*∈\s*R\b[^=]{0,20}$"
)
OF_SUM = re.compile(r"(?:sum|[∑Σ])\s*_\s*[A-Za-z]\s*$")
# Matches `q:` or `# k_a`.
BARE_NAME = re.compile(r"[\s#]*(?:[A-Za-z]+|[α-ωΑ-Ω])(?:\s*_\s*(?:\{[^{}]*\}|\w+))?[\s:']*")
# Matches `q` or `E[q k^T]` or `number of weights`.
LEFT_SIDE = re.compile(
    r"\s*#?\s*([A-Za-z]+|[α-ωΑ-Ω])[\w\s,'_{}^⊤#-]{0,60}([(\[].{0,80}[)\]])?[\s:]*", re.DOTALL
)


def normalised(text: str, names: frozenset[str]) -> Marked:
    """Return the formula in plain notation. Raises FormulaError for anything else."""
    if len(text) > LONGEST:
        raise FormulaError(f"The formula is longer than {LONGEST} characters.", LONGEST)
    marked = Marked.of(text)
    if match := FENCED.match(marked.text):
        marked = marked.part(*match.span(2))
    marked = marked.replace(ESCAPED, lambda match: UNESCAPED.get(match[0], "\\"))
    marked = marked.unwrap(LOWERED, "_{", "}").unwrap(RAISED, "^{", "}")
    marked = without_latex(plain_characters(numbers_joined(marked)))
    marked = marked.replace(INDEXED, lambda match: with_subscript(match, names))
    return without_tail(with_transposes(without_python(marked), names))


def with_subscript(match: re.Match[str], names: frozenset[str]) -> str:
    """Rewrite `key[0]` and `k[a, :]` as `key_0` and `k_a` if the question defines such a name."""
    name = f"{GREEK.get(match[1], match[1])}_{match[2]}"
    return f"{match[1]}_{match[2]}" if name in names else match[0]


def numbers_joined(marked: Marked) -> Marked:
    """Join `1,000` and `1{,}000` to one number; refuse `0,5`, which would read as two numbers."""
    if SEVERAL.search(marked.text):
        return marked  # the comma may separate two arguments
    marked = marked.replace(GROUPED, lambda match: NOT_A_DIGIT.sub("", match[0]))
    if match := DECIMAL_COMMA.search(marked.text):
        where = marked.origin[match.start() + match[0].index(",")]
        raise FormulaError("A number contains a comma; write 0.5, not 0,5.", where)
    return marked


def without_python(marked: Marked) -> Marked:
    """Write powers as `^`, transposes as `⊤`, norms as `‖`, and drop modules before functions."""
    for pattern, plain in PLAINER:
        marked = marked.replace(pattern, lambda _, plain=plain: plain)  # type: ignore[misc]
    if FOLDED.search(marked.text):
        marked = marked.replace(COMPREHENSION, lambda _: "")
    return marked.unwrap(ANGLES, "⟨", "⟩").unwrap(TWO_NORM, "", "")


def with_transposes(marked: Marked, names: frozenset[str]) -> Marked:
    """Write each transpose as one sign after its operand and the operand's subscripts."""
    marked = marked.replace(INVERSE_TRANSPOSE, lambda _: "^{-1}⊤")
    marked = marked.unwrap(NAMED_TRANSPOSE, "^{", "}⊤")
    text = marked.text

    def transposed(match: re.Match[str]) -> str:
        is_power = "T" in names and text[: match.start()].rstrip()[-1:].isdigit()
        return match[0] if is_power else "⊤"

    marked = marked.replace(TRANSPOSE, transposed)
    if "t" not in names:
        marked = marked.replace(SMALL_TRANSPOSE, lambda _: "⊤")
    marked = marked.replace(PSEUDO_INVERSE, lambda _: "†")
    return marked.unwrap(LATE_SUBSCRIPT, "", "⊤")


def without_tail(marked: Marked) -> Marked:
    """Remove full stops at the end, and a condition such as `, β ≫ 0`."""
    for pattern in (END, CONDITION, END):
        if match := pattern.search(marked.text):
            marked = marked.part(0, match.start())
    return marked


def sides(marked: Marked, words: Vocabulary) -> list[Marked]:
    """Return the parts between `=` signs; a name on the left, as in `q = ...`, is dropped."""
    depth, start = 0, 0
    parts: list[Marked] = []
    for index, sign in enumerate(marked.text):
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "=" and depth == 0 and not OF_SUM.search(marked.text, 0, index):
            if index > start:
                parts.append(marked.part(start, index))
            if len(parts) > MOST_SIDES:
                raise FormulaError("Too many `=`; write only one expression.", marked.origin[index])
            start = index + 1
    parts.append(marked.part(start, len(marked.text)))
    return parts[1:] if len(parts) > 1 and is_left_side(parts[0].text, words) else parts


def is_left_side(text: str, words: Vocabulary) -> bool:
    """Return whether this names the unknown, as `q`, `E[q k^T]` and `number of weights` do."""
    match = LEFT_SIDE.fullmatch(text)
    if match is None:
        return False
    name = GREEK.get(match[1], match[1])
    if APPLIED.get(name) == "order":
        return False  # `O(n)` is a value, not a name
    return not words.extends(name, ()) or BARE_NAME.fullmatch(text) is not None
