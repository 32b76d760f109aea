"""Find the formulas in a text with words around them, in any language.

    text -- marks removed --> tokens: mathematics, words, separators --> statements, words

Nothing here is parsed: a statement is a stretch of mathematics between words, commas, full stops
and comparison signs. The parser decides whether it is a formula.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

from graders.written.formula.reading.characters import GREEK
from graders.written.formula.vocabulary import FUNCTIONS, PROSE, Vocabulary

LONGEST = 8_000  # characters that are searched
MOST_STATEMENTS = 200
LONGEST_RUN = 40  # letters without anything between them
FAR = 300  # characters around a statement in which it may be negated

_TAGS = r"p|br|b|i|em|strong|code|div|span|li|ul|ol|u|tt|pre|center|font|table|tbody|tr|td|th|h\d"
_ALIGNED = r"align|aligned|equation|gather|gathered|split|eqnarray|displaymath|math|multline|cases"
_FONTS = r"mathbf|boldsymbol|bm|pmb|vec|mathbb|mathcal|hat|tilde"
_MARKS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(rf"</?(?:{_TAGS})(?:\s[^<>\n]{{0,60}})?/?>", re.IGNORECASE), " "),
    (re.compile(rf"\\(?:begin|end)\{{(?:{_ALIGNED})\*?\}}"), "\n"),
    (re.compile(r"\\(?:left|right|[bB]igg?[lrm]?)(?![A-Za-z])|\\[,;:!]|\\(?= )"), " "),
    (re.compile(r"\\\\(?:\[[^\]\n]{0,9}\])?(?![A-Za-z])"), "\n"),
    (re.compile(r"&(?= {0,3}[=≈+\-])|(?<=[=≈+\-])&|(?<=[=≈+\-] )&"), " "),
    (re.compile(rf"\\(?:{_FONTS})\s?\{{([^{{}}]{{0,80}})\}}"), r"\1"),
    (re.compile(rf"\\(?:{_FONTS})\s+(?=[A-Za-z\\])"), ""),
    (re.compile(r"(?<=[ \t])#[ \t].*"), ""),
    (re.compile(r"(?<![\w)\]}*])\*\*(?=[^\s*])([^\n*]{1,400})(?<=[^\s*])\*\*(?![\w(*])"), r" \1 "),
    (re.compile(r"(?<![\w)\]}*])\*(?=[^\s*])([^*\n]{1,200})(?<=[^\s*])\*(?![\w(*])"), r" \1 "),
)
# Matches `>` or `` ```python `` or `return`.
_LINE_MARKS = re.compile(r">+ ?|return\b|def\s.{0,200}:$|```\w*|~~~\w*")
_PUT = {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_WIDE = str.maketrans({**_PUT, "、": ",", "。": ". ", "｡": ". ", "\u3000": " "})

_GROUP = r"\{(?:[^{}]|\{[^{}]*\}){0,80}\}"
_TOKEN = re.compile(
    rf"""
    (?P<or>[ ]/[ ](?=[\\$`*(]{{0,3}}[A-Za-zα-ω]\w{{0,9}}(?:\[[^\[\]=]{{0,40}}\])?\s?=))
  | (?P<newline>\n[\s]*)
  | (?P<space>[ \t\r\f\v\u00a0\u2009\u202f]+)
  | (?P<below>[_^]\s?(?:{_GROUP}|\([A-Za-z]{{1,12}}\)|[^\W\d_]+|\d+|[*⋆★†⊤]))
  | (?P<said>\\(?:text|mathrm|textrm|textbf|textit|mbox|operatorname\*?)\s?
      \{{(?P<words>[^{{}}]{{0,200}})\}})
  | (?P<parts>\\(?:quad|qquad|Rightarrow|implies|iff|therefore|because|rightarrow)(?![A-Za-z])
      |\\(?:longrightarrow|to|forall|item)(?![A-Za-z])|=>|->|[→⟶⇒⟹∴∵∀↦])
  | (?P<compares>\\(?:gg|ll|geq?|leq?|propto|neq?|sim|in|notin|ni)(?![A-Za-z])
      |>>|<<|>=|<=|!=|[≫≪≥≤≠∝∼∈∉~])
  | (?P<angle><[^<>=\n]{{1,60}},[^<>=\n]{{1,60}}>)
  | (?P<less>[<>])
  | (?P<open>[(\[{{⟨〈]|\\\{{|\\langle(?![A-Za-z]))
  | (?P<close>[)\]}}⟩〉]|\\\}}|\\rangle(?![A-Za-z]))
  | (?P<command>\\(?:[A-Za-z]+|.))
  | (?P<code>(?:np|numpy|torch|math|jnp|tf)(?:\.[A-Za-z_]+)+)
  | (?P<short>\b(?:e\.g|i\.e|w\.r\.t|z\.B|d\.h|p\.ej|p\.ex|resp|vs|cf|approx)\.)
  | (?P<number>\d+(?:,\d{{3}})+(?![\d,])|(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)
  | (?P<hyphened>[^\W\d_]{{3,}}(?:-[^\W\d_]{{2,}})+|[^\W\d_]{{2,}}['’][^\W\d_]{{1,3}}\b
      |\b[ldnscjmLDNSCJM]['’][^\W\d_]{{2,}})
  | (?P<letters>[^\W\d_]+)
  | (?P<dots>\.{{2,}}|[…⋯])
  | (?P<method>\.(?:mT|T|t\(\)|transpose\(\))(?![A-Za-z]))
  | (?P<equals>:=|==?|[≈≔≡])
  | (?P<stop>[.!?](?=\s|$|[)\]"'”]))
  | (?P<comma>[,;:"“”„«»`])
  | (?P<dollar>\$+)
  | (?P<sign>.)
    """,
    re.VERBOSE,
)
# Words of one or two letters; other short runs are adjacent names.
_SHORT = frozenset({
    "is", "it", "in", "of", "on", "or", "so", "to", "we", "be", "by", "as", "at", "an", "if",
    "my", "no", "do", "go", "he", "me", "up", "us", "am", "es", "er", "zu", "da", "du", "wo",
    "ab", "im", "um", "ja", "il", "le", "la", "de", "un", "et", "en", "ou", "où", "se", "si",
    "ce", "ne", "el", "al", "lo", "su", "te", "tu", "ya", "yo", "di", "os", "em", "ao", "na",
    "eu", "ha", "ho", "ti",
})  # fmt: skip
_ARTICLES = tuple("aAyYoOeEuUIà")  # words of one letter
# Words that describe a calculation (`times`), and words that negate a formula (`not`).
_OPERATION = re.compile(
    r"\b(?:plus|minus|times|squared?|cubed?|over|divided|multipl\w+|sum|summed|product|root|twice|"
    r"half|double[ds]?|triple|power|transposed?|inverse|proportional|scaled|mal|quadrat|geteilt|"
    r"summe|produkt|wurzel|doppelt|hälfte|fois|somme|carré|produit|moitié|por|suma|cuadrado|"
    r"raíz|doble|mitad|più|volte|somma|radice|metà)\b|[乘加减除倍和平方]",
    re.IGNORECASE,
)
# Matches `not` or `instead of`.
_BEFORE = re.compile(
    r"\b(?:not|never|wrong(?:ly)?|incorrect(?:ly)?|false|instead of|rather than|unlike|neither|"
    r"except|besides|apart from|other than|anything but|opposite|avoid\w*|doubt\w*|"
    r"nor|mistaken(?:ly)?|intuitively|naive(?:ly)?|might think|one would|nicht|kein\w*|niemals|"
    r"falsch|statt|anstatt|ne|pas|jamais|faux|fausse|nunca|incorrect[oa]|falso|não|non|"
    r"sbagliat\w+|не|нет|неверно|niet|geen|nie|inte|ikke|değil|nem|không|tidak|bukan)\b|n['’]t\b"
    r"|[不非没错]|ではな|じゃな|아니|않|ليس|नहीं",
    re.IGNORECASE,
)
# Matches `but` or `is wrong`.
_AFTER = re.compile(
    r"\b(?:but|however|instead|wrong|incorrect|false|fails?|not (?:the|work|right|correct|enough|"
    r"suffic\w+|hold|true)|doubt\w*|actually|correction|oops|sorry|wait|edit|değil|aber|sondern|jedoch|falsch|mais|faux|pero|sino|incorrecto|mas|ma|"
    r"errato|но|неверно)\b|n['’]t (?:work|right|correct|enough|suffice|hold|true)\b"
    r"|错|不对|不行|但是?|而是",
    re.IGNORECASE,
)
# Matches `But` or `Wait`.
_TURN = re.compile(
    r"\s*(?:but|however|th(?:is|at) is (?:wrong|not|false)|wrong|actually|correction|oops|sorry|"
    r"wait|edit|no\b|aber|eigentlich|mais|en fait|pero|en realidad)",
    re.IGNORECASE,
)
# Matches `therefore`.
_CONCLUDES = re.compile(
    r"(?:\b(?:so(?! that)|therefore|hence|thus|total|altogether|finally|conclude|gives|yields|get|"
    r"obtain|folglich|daher|insgesamt|donc|entonces|por lo tanto|quindi|dunque|значит|"
    r"поэтому)\b|∴|所以|因此|共)[^.!?;\d=]*$",
    re.IGNORECASE,
)
# Matches `or` or `alternatively`.
_EITHER = re.compile(
    r"\b(?:or|either|alternative\w*|maybe|perhaps|option|possibl\w+|also|not|but|instead|rather|"
    r"better|actually|correction|versus|vs|oder|auch|sondern|aber|besser|ou|aussi|mais|plutôt|o|"
    r"también|pero|sino|mejor|mas|или|но|veya)\b|[或但而/]",
    re.IGNORECASE,
)
# Matches `q =` or `k_a :=` or `E[q] ≈`.
_LEFT = re.compile(
    r"(?P<head>[A-Za-z]{1,25}|[α-ωΑ-Ω]|\\[A-Za-z]{1,25})"
    rf"(?:\s?[_^]\s?(?:{_GROUP}|\([^()]{{0,30}}\)|\w{{1,25}}|\\[a-z]{{1,9}}|[*⋆★])){{0,4}}\s?[*'⋆★]?"
    r"\s?(?:[(\[][^=]{0,80}[)\]])?\s{0,9}(?::=|=|≈|≔|≡)(?!=)"
)
_CUT = re.compile(r"^\s*[+*/·×⋅]|[-+*/·×⋅=]\s*$")
_EQUATED = re.compile(r"\s{0,9}(?::=|=(?!=)|≈)")
_SINGLE = re.compile(  # `k_a` and `1,000`, but neither `2d` nor `λμ`
    rf"(?:\\?(?:{'|'.join(sorted(GREEK.values()))})|[A-Za-z]|[α-ωΑ-Ω])"
    r"(?:\s?[_^]\s?(?:\{[^{}\d]{0,20}\}|[A-Za-z]{1,9}))*(?:_\w)?|\d[\d.,]*|[∞∅]"
)
Offered = Literal["", "beside", "or"]
Kind = Literal["math", "word", "part", "compare", "open", "close", "space", "line", "stop"]
_KINDS: dict[str, Kind] = {  # of the groups of _TOKEN; all others are mathematics
    **{"newline": "line", "space": "space", "dollar": "space", "stop": "stop"},
    **{"parts": "part", "comma": "part", "or": "part", "compares": "compare", "less": "compare"},
    **{"short": "word", "hyphened": "word", "open": "open", "close": "close"},
}


@dataclass(frozen=True, slots=True)
class Statement:
    """A stretch of mathematics.

    `name` is `q` in `q = ...`, and "" without such a left side. `compared` means that it is next to
    a sign such as `≫`, `denied` that words around it may negate it, `concludes` that it follows a
    word such as `therefore`. `offered` says how it is connected to the previous one: with a word,
    as in `2d or 3d`, or without any. `line` is its line.
    """

    text: str
    name: str
    compared: bool
    denied: bool
    concludes: bool
    offered: Offered
    line: str

    @property
    def lone(self) -> bool:
        """Return whether it is a single name or number, which is hardly an answer among words."""
        return _SINGLE.fullmatch(self.text.strip()) is not None


@dataclass(frozen=True, slots=True)
class Prose:
    """The statements of a text, the number of words around them, and whether words calculate."""

    statements: tuple[Statement, ...]
    words: int
    calculates: bool


@dataclass(frozen=True, slots=True)
class _Token:
    kind: Kind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Where mathematics starts and ends, and whether a comparison sign is next to it."""

    start: int
    end: int
    compared: bool


def statements_in(text: str, vocabulary: Vocabulary) -> Prose:
    """Return the statements of a text; of a long text only those at its beginning."""
    text = without_marks(text[:LONGEST])
    tokens = _with_brackets(
        text,
        [
            _Token(_kind(match, text, vocabulary), match.start(), match.end())
            for match in _TOKEN.finditer(text)
        ],
    )
    words = [token for token in tokens if token.kind == "word"]
    left = {token.end for token in words if _EQUATED.match(text, token.end)}
    statements: list[Statement] = []
    before = -1  # the end of the previous statement
    for stretch in islice(_stretches(text, tokens), MOST_STATEMENTS):
        if (statement := _statement(text, stretch, before)) is not None:
            statements.append(statement)
            before = stretch.end
    wording = " ".join(text[token.start : token.end] for token in words)
    count = sum(token.end not in left for token in words)
    calculates = _OPERATION.search(wording[:LONGEST]) is not None
    if count:  # `2d weights + 2 biases`: the words are operands
        calculates |= any(_CUT.search(statement.text) is not None for statement in statements)
    return Prose(tuple(statements), count, calculates)


def without_marks(text: str) -> str:
    """Return the text without Markdown, HTML and LaTeX environments around formulas."""
    text = text.translate(_WIDE)
    for pattern, put in _MARKS:
        text = pattern.sub(put, text)
    return "\n".join(map(_unmarked, text.split("\n")))


def _unmarked(line: str) -> str:
    """Return a line without quote or code marks; a table's cells are separated by semicolons."""
    line = line.strip()
    while mark := _LINE_MARKS.match(line):
        line = line[mark.end() :].lstrip()
    if line.startswith("|") and line.endswith("|"):
        cells = line.strip("|")
        return "" if not cells.strip(" |:-") else cells.replace("|", ";")
    return "" if "---" in line and not line.strip(" |:-") else line


def _kind(token: re.Match[str], text: str, vocabulary: Vocabulary) -> Kind:
    match token.lastgroup:
        case "letters":
            is_mathematics = _is_mathematics(token, text, vocabulary)
        case "said" | "words":
            inside = token["words"].strip()
            is_known = vocabulary.extends(inside, ()) or inside in FUNCTIONS
            applied = inside.isalpha() and inside.lower() not in PROSE
            applied &= text[token.end() : token.end() + 1] in ("(", "[")
            is_mathematics = len(inside) < 2 or is_known or applied
        case group:
            return _KINDS.get(group or "", "math")
    return "math" if is_mathematics else "word"


def _is_mathematics(token: re.Match[str], text: str, vocabulary: Vocabulary) -> bool:
    """Return whether a run of letters is part of a formula."""
    run = token[0]
    if re.match(r"[_\[(]", text[token.end() : token.end() + 1]) and run.isascii():
        return len(run) < 25 and run.lower() not in _SHORT  # a name with a subscript, or a function
    after = re.match(r"\s+([A-Za-z]{2,})", text[token.end() : token.end() + 30])
    if run in FUNCTIONS and after is not None and not _is_name(after[1], vocabulary):
        return False  # `the inner product`, `the sum over`
    pieces = re.findall(r"[A-Za-z]+|[^A-Za-z]", run)
    if not all(map(_is_sign, (piece for piece in pieces if not piece.isascii()))):
        return False
    if run[:1] != "ß" and "ß" in run:
        return False  # `groß`, whereas `ßk` means a beta
    letters = [piece for piece in pieces if piece.isascii()]
    if run in _ARTICLES and not vocabulary.extends(run, ()) and _is_article(token, text):
        return False
    return all(_is_name(letter, vocabulary) for letter in letters) or _is_operand(token, text)


def _is_sign(letter: str) -> bool:
    """Return whether a non-ASCII letter is used in formulas.

    These are Greek letters, superscripts, subscripts and letters of another font.
    """
    if letter in GREEK or letter in "ßµ∂ℓ":
        return True
    form = unicodedata.decomposition(letter).partition(" ")[0]
    return form in ("<super>", "<sub>", "<font>", "<fraction>")


def _is_name(run: str, vocabulary: Vocabulary) -> bool:
    """Return whether ASCII letters are names of the question or adjacent single letters."""
    if len(run) > LONGEST_RUN or (len(run) > 2 and run.lower() in PROSE):
        return False
    is_known = vocabulary.extends(run, ()) or run in vocabulary.joined or run in FUNCTIONS
    if len(run) == 1 or is_known or run.lower() in GREEK.values():
        return True
    pieces = vocabulary.pieces(run, tail=False, power=False)
    if all(vocabulary.price(piece, tail=False, power=False) <= 3 for piece in pieces):
        return True
    return len(run) == 2 and run.lower() not in _SHORT


def _is_operand(token: re.Match[str], text: str) -> bool:
    """Return whether a word is multiplied with something: `scale * (k_a + k_b)`."""
    before, after = text[: token.start()].rstrip(" "), text[token.end() :].lstrip(" ")
    return token[0].isascii() and (
        before[-1:] in ("*", "·", "×", "/") or after[:1] in ("*", "·", "×")
    )


def _is_article(token: re.Match[str], text: str) -> bool:
    """Return whether a letter is a word, as in `a formula` and `Il y a 2d`."""
    before = text[max(0, token.start() - 3) : token.start()]
    after = text[token.end() : token.end() + 3]
    between = before[-1:] in ("", " ", "\n") and after[:1] == " "
    return between and (before.strip()[-1:].isalpha() or after.strip()[:1].isalnum())


def _with_brackets(text: str, tokens: Sequence[_Token]) -> list[_Token]:
    """Mark brackets as mathematics unless they contain words or comparisons."""
    marked_tokens = list(tokens)
    waiting: list[int] = []
    prose = [0]
    for at, token in enumerate(tokens):
        prose.append(prose[-1] + (token.kind in ("word", "compare", "stop")))
        if token.kind == "open":
            waiting.append(at)
        elif token.kind == "close" and waiting:
            begun = waiting.pop()
            if prose[at] > prose[begun]:
                marked_tokens[begun] = replace(tokens[begun], kind="part")
                marked_tokens[at] = replace(token, kind="part")
        elif token.kind == "close":  # `1)` begins a list item; else the parser reports an error
            item = len(text[max(0, token.start - 9) : token.start].rpartition("\n")[2].strip()) < 3
            marked_tokens[at] = replace(token, kind="part" if item else "math")
    for at in waiting:
        marked_tokens[at] = replace(tokens[at], kind="math")
    return marked_tokens


def _stretches(text: str, tokens: Sequence[_Token]) -> Iterator[_Stretch]:
    start, depth, compared = -1, 0, False
    end = 0
    for at, token in enumerate([*tokens, _Token("stop", len(text), len(text))]):
        inside = depth > 0 and token.kind in ("part", "space", "line", "math")
        if token.kind == "line" and not inside:
            inside = _goes_on(text, token) and start >= 0
        if token.kind in ("math", "open", "close") or inside:
            depth += (token.kind == "open") - (token.kind == "close")
            if token.kind not in ("space", "line"):
                start = token.start if start < 0 else start
                end = token.end
        elif token.kind != "space" or _parts_dollars(text, tokens, at):
            if start >= 0:
                yield _Stretch(start, end, compared or token.kind == "compare")
            start, depth, compared = -1, 0, token.kind == "compare"


def _goes_on(text: str, line: _Token) -> bool:
    """Return whether a formula continues after the end of its line."""
    before = text[max(0, line.start - 9) : line.start].rstrip()
    after = text[line.end : line.end + 9].lstrip()
    return before[-1:] in tuple("+-*/=·×(,") or after[:1] in tuple("+/=·×)")


def _parts_dollars(text: str, tokens: Sequence[_Token], at: int) -> bool:
    """Return whether two formulas between dollar signs are adjacent here."""
    token = tokens[at]
    if "$" not in text[token.start : token.end]:
        return False
    rest = text[token.end : token.end + 9].lstrip()
    before = text[max(0, token.start - 9) : token.start].rstrip()
    return rest.startswith("$") or before.endswith("$")


def _statement(text: str, stretch: _Stretch, before: int) -> Statement | None:
    """Return a stretch as a statement, unless it has no letter or digit."""
    start, end = stretch.start, stretch.end
    shown = text[start:end].strip(" $").rstrip("=≈ ")
    if not re.search(r"\w", shown):
        return None
    left = _LEFT.match(shown)
    name = left["head"].lstrip("\\") if left else ""
    if shown.startswith(("=", "≈")):
        word = re.search(r"([^\W\d_]+)\s*$", text[max(0, start - 40) : start])
        name, shown = word[1] if word else "", shown.lstrip("=≈ ")
    gap = text[max(0, before, start - FAR) : start]
    return Statement(
        shown,
        name,
        compared=stretch.compared and "=" not in shown and "≈" not in shown,
        denied=_denied(text, start, end),
        concludes=_CONCLUDES.search(gap) is not None,
        offered=_offered(gap) if before >= 0 else "",
        line=_line_of(text, start, end),
    )


def _offered(gap: str) -> Offered:
    """Return how two statements with this text between them are connected."""
    if _EITHER.search(gap) is not None:
        return "or"
    return "beside" if re.search(r"[^\W\d]", gap) is None else ""


def _line_of(text: str, start: int, end: int) -> str:
    """Return the line or lines of a stretch of the text, shortened if long."""
    before = text[max(0, start - FAR) : start].rpartition("\n")[2]
    return before + text[start:end] + text[end : end + FAR].partition("\n")[0]


def _denied(text: str, start: int, end: int) -> bool:
    """Return whether words in its sentence, or at the start of the next, may negate it."""
    before = re.split(r"[.!?。]\s|\n\s*\n", text[max(0, start - FAR) : start])[-1]
    after, *following = re.split(r"[.!?。]\s|\n\s*\n", text[end : end + FAR], maxsplit=1)
    turned = any(_TURN.match(sentence) for sentence in following)
    return bool(_BEFORE.search(before) or _AFTER.search(after) or turned)


def _use_of(name: str) -> re.Pattern[str]:
    """Return a pattern that finds a name; a Greek letter also as a sign and as a LaTeX command."""
    letters = "".join(letter for letter, spelled in GREEK.items() if spelled == name)
    spelled = rf"(?<![A-Za-z_\\]){re.escape(name)}(?![A-Za-z])"
    return re.compile(rf"{spelled}|\\{name}(?![A-Za-z])|[{letters}]" if letters else spelled)


def definitions(
    statements: Iterable[Statement], known_names: Iterable[str]
) -> dict[str, Statement]:
    """Return the statements that only define a name in another one: `S = 1,000,000`."""
    candidates = list(statements)
    names = set(known_names)
    defined: dict[str, Statement] = {}
    for statement in candidates:
        other_texts = (
            other.text
            for other in candidates
            if other is not statement and other.name != statement.name
        )
        used = _use_of(statement.name)
        right = re.sub(r"^[^=≈]*[=≈]", "", statement.text)
        is_new = bool(statement.name) and statement.name not in names and not used.search(right)
        if is_new and any(map(used.search, other_texts)):
            defined.setdefault(statement.name, statement)
    return defined
