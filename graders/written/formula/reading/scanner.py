"""Split plain notation into pieces: numbers, names with their subscripts, functions and signs."""

import re
from dataclasses import dataclass, field

from graders.written.formula.errors import FormulaError
from graders.written.formula.reading.characters import GREEK
from graders.written.formula.reading.marked import Marked
from graders.written.formula.reading.subscripts import (
    BELOW,
    DIGITS,
    MEMBERS,
    header,
    inner_text,
    read_name,
)
from graders.written.formula.vocabulary import (
    APPLIED,
    FOREIGN,
    FUNCTIONS,
    GREEK_NAMES,
    NOUNS,
    PROSE,
    Vocabulary,
)

# Matches `12` or `.5` or `1e-3`.
NUMBER = re.compile(r"(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?(?:\.(?=[\s*+)/-]))?")
WORD = re.compile(r"[A-Za-z]+")
POWER_NEXT = re.compile(r"\s*\^")
BASE = re.compile(r"\s*_\s*(?:\{\s*(\w+)\s*\}|(\d+|e))|(2|10)(?=\s*\()")  # `_2` or `_{10}` or `2 (`
BASED = {"log2": "log2", "log10": "log10", "loge": "log", "norm2": "norm"}
SIGNS = {
    **{"+": "PLUS", "-": "MINUS", "*": "TIMES", "·": "DOT", "/": "OVER", "^": "POWER"},
    **{"⊤": "TRANSPOSE", "'": "TRANSPOSE", "†": "PINV", ",": "COMMA", "⊗": "OUTER"},
    **{"|": "BAR", "‖": "NORM", "⁄": "FRAC", "@": "DOT", "=": "EQUALS"},
}
OPENING = {"(": ")", "[": "]", "{": "}", "⟨": "⟩"}
CLOSING = {close: open_ for open_, close in OPENING.items()}
REMEDIES = {
    "…": "Dots are ambiguous; write a sum, such as sum_i a_i.",
    "_": "A subscript must follow a name.",
    "<": "Write one expression, not a comparison; put words into `text`.",
    ">": "Write one expression, not a comparison; put words into `text`.",
    ";": "Write one expression, without `;`.",
    "∞": "Infinity cannot be used as a number; use a large constant instead.",
}
DEEPEST = 50
MOST_PIECES = 1000


@dataclass(frozen=True, slots=True)
class Piece:
    """A token: its kind, its text, its position in the student's text and in the notation."""

    kind: str
    value: str
    at: int
    start: int = 0
    end: int = 0


@dataclass(slots=True)
class Scanner:
    """Reads plain notation from left to right."""

    marked: Marked
    words: Vocabulary
    pieces: list[Piece] = field(default_factory=list)
    place: int = 0
    depth: int = 0
    last_word: int = -1  # where the last unknown word ended
    begun: int = 0  # the number of pieces up to the last sum's bounds

    def scan(self) -> list[Piece]:
        text = self.marked.text
        while self.place < len(text):
            if text[self.place] == " ":
                self.place += 1
            elif match := NUMBER.match(text, self.place):
                self.number(match)
            elif match := WORD.match(text, self.place):
                self.word(match)
            elif text[self.place] in GREEK:
                self.greek(text[self.place])
            else:
                self.sign(text[self.place])
        return self.pieces

    def put(self, kind: str, value: str, start: int, end: int) -> None:
        if len(self.pieces) >= MOST_PIECES:
            raise FormulaError("The formula is too long.", self.marked.origin[start])
        self.pieces.append(Piece(kind, value, self.marked.origin[start], start, end))
        self.place = end

    def fail(self, message: str, start: int) -> FormulaError:
        return FormulaError(message, self.marked.origin[start])

    def number(self, match: re.Match[str]) -> None:
        """Read a number; directly after a name or a bracket it is ambiguous."""
        before = self.pieces[-1] if len(self.pieces) > self.begun else None
        if before and before.kind in ("NUMBER", "NAME", "RPAR"):
            raise self.fail(
                f"It is not clear what {match[0][:20]} means here;"
                " write * for a product and ^ for a power.",
                match.start(),
            )
        self.put("NUMBER", match[0].rstrip("."), match.start(), match.end())

    def sign(self, sign: str) -> None:
        start = self.place
        if sign == "∑":
            self.total(start + 1, start)
        elif sign == "√":
            self.put("ROOT", "sqrt", start, start + 1)
        elif sign in OPENING or sign in CLOSING:
            self.put("LPAR" if sign in OPENING else "RPAR", sign, start, start + 1)
        elif sign == ":" and self.marked.text[start + 1 : start + 2] == "=":
            self.place += 1
        elif kind := SIGNS.get(sign):
            self.put(kind, sign, start, start + 1)
        else:
            remedy = REMEDIES.get(sign, f"`{sign}` does not belong in a formula.")
            raise self.fail(remedy, start)

    def greek(self, letter: str) -> None:
        """Read a Greek letter; a capital sigma that is not a name is a sum."""
        if letter == "Σ" and not self.words.extends("Sigma", ()):
            self.total(self.place + 1, self.place)
        else:
            end = self.place + 1
            after = WORD.match(self.marked.text, end)
            for size in range(len(after[0]) if after else 0, 0, -1):
                if (
                    name := GREEK[letter] + self.marked.text[end : end + size]
                ) in self.words.joined:
                    return self.name(name, self.place, end + size)  # `μa` is `mu_a`
            self.one(GREEK[letter], self.place, end)
        return None

    def word(self, match: re.Match[str]) -> None:
        text, run = self.marked.text, match[0]
        if self.is_cross(match):
            return self.put("TIMES", run, match.start(), match.end())
        tail = BELOW.match(text, match.end()) is not None or self.numbered(match)
        power = POWER_NEXT.match(text, match.end()) is not None
        pieces = self.words.pieces(run, tail=tail, power=power or run == "e")
        if not tail:
            self.refuse_prose(run, pieces, match.start())
        start = match.start()
        for piece in pieces:
            if self.place > start:
                break  # a sum has read its bounds
            self.one(piece, start, start + len(piece))
            start += len(piece)
        return None

    def is_cross(self, match: re.Match[str]) -> bool:
        """Return whether an `x` is a multiplication sign, as in `128 x d`."""
        if match[0] not in ("x", "X") or self.words.extends(match[0], ()) or not self.pieces:
            return False
        after = self.marked.text[match.end() :].lstrip()[:1]
        operand = self.pieces[-1].kind in ("NUMBER", "NAME", "RPAR", "TRANSPOSE")
        return operand and (after.isalnum() or after in GREEK or after in OPENING)

    def numbered(self, match: re.Match[str]) -> bool:
        """Return whether digits directly after a word are a subscript, as in `x1`."""
        digits = DIGITS.match(self.marked.text, match.end())
        if digits is None:
            return False
        ends = (match[0][start:] for start in range(len(match[0])))
        return any(self.words.numbered(end, digits[0]) for end in ends)

    def refuse_prose(self, run: str, pieces: tuple[str, ...], start: int) -> None:
        """Raise FormulaError for words that belong in the free text."""
        is_name = run in self.words.names or run in self.words.joined
        unknown = (
            len(pieces) == 1 and len(run) > 1 and self.words.price(run, tail=False, power=True) > 99
        )
        unknown = unknown and not self.words.extends(run, ())
        if BELOW.match(self.marked.text, start + len(run)):
            return  # `large_constant` is a name
        in_prose = run.lower() in PROSE and not is_name and (len(run) > 2 or unknown)
        in_prose = in_prose and not self.is_noun(run, start)
        follows = self.last_word >= 0 and self.marked.text[self.last_word : start].isspace()
        if in_prose or (unknown and follows):
            raise self.fail("Only a formula goes here; put words into `text`.", start)
        if unknown and run.lower() in FOREIGN:
            raise self.fail(f"`{run}` is not a function that can be used here.", start)
        if unknown:
            self.last_word = start + len(run)

    def is_noun(self, run: str, start: int) -> bool:
        """Return whether a word is a scalar: `constant*(k_a + k_b)`."""
        after = self.marked.text[start + len(run) :].lstrip()[:1]
        before = self.pieces[-1].kind if self.pieces else "LPAR"
        free = before in ("LPAR", "PLUS", "MINUS", "TIMES", "DOT")
        return run.lower() in NOUNS and free and after in ("*", "·", "(")

    def one(self, piece: str, start: int, end: int) -> None:
        """Read one piece of a run of letters."""
        if piece.lower() in GREEK_NAMES and not self.words.extends(piece, ()):
            piece = piece.lower() if self.words.extends(piece.lower(), ()) else piece
        after = self.marked.text[end:].lstrip()[:1]
        is_name = self.words.extends(piece, ()) or piece in self.words.joined
        if piece == "sum" and not is_name:
            self.total(end, start)
        elif piece in APPLIED and not is_name and after in ("(", "["):
            self.put("FUNC", APPLIED[piece], start, end)
        elif self.words.is_function(piece):
            self.function(piece, start, end)
        elif piece == "I" and not is_name:
            below = BELOW.match(self.marked.text, end)
            self.put("EYE", piece, start, below.end() if below else end)
        elif piece in ("e", "pi") and not is_name and not BELOW.match(self.marked.text, end):
            self.put("CONSTANT", piece, start, end)
        else:
            self.name(piece, start, end)

    def function(self, word: str, start: int, end: int) -> None:
        """Read a function's name, with the base of a logarithm or the kind of a norm."""
        name = FUNCTIONS[word]
        if base := BASE.match(self.marked.text, end):
            below = inner_text(base)
            if (name + below) not in BASED:
                raise self.fail(f"`{word}` with `{below}` below is unknown here.", end)
            name, end = BASED[name + below], base.end()
        self.put("FUNC", name, start, end)

    def name(self, base: str, start: int, end: int) -> None:
        name, end = read_name(self.marked, self.words, base, end)
        self.put("NAME", name, start, end)

    def total(self, end: int, start: int) -> None:
        """Read a sum: its index, and its bounds in brackets if both are given."""
        head = header(self.marked, end)
        if head.low is None or head.high is None:
            sign = "∑" if self.marked.text[start] != "s" else "sum"
            over = MEMBERS + ",".join(head.over) if head.over else ""
            self.put("SUM", (head.index or sign) + over, start, head.end)
        else:
            self.put("RANGE", head.index, start, head.end)
            self.bounds(head.low, head.high, (start, head.end))
        self.begun = len(self.pieces)

    def bounds(self, low: Marked, high: Marked, span: tuple[int, int]) -> None:
        """Write the two bounds of a sum as the arguments of one bracket."""
        self.put("LPAR", "(", *span)
        for bound, kind in ((low, "COMMA"), (high, "RPAR")):
            for piece in Scanner(bound, self.words).scan():
                self.put(piece.kind, piece.value, *span)
            self.put(kind, "," if kind == "COMMA" else ")", *span)
