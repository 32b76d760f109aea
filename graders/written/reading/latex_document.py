r"""Turn a LaTeX document into the Markdown that answers are read from.

Lines keep their numbers where possible:

    \section*{1 (b)}            # 1 (b)
    \item[(i)] $\vct{k}_a$      (i) $\mathbf{k}_a$          after \newcommand{\vct}[1]{\mathbf{#1}}
    a & b \\                    | a | b |                   in a table

Formulas are left as they are: their reader knows LaTeX.
"""

import re
from dataclasses import dataclass
from itertools import islice

_HEADINGS = ("section", "subsection", "subsubsection", "paragraph", "subparagraph")
_HEADING = re.compile(rf"\\({'|'.join(_HEADINGS)})\*?\s*(?=\{{)")
_DEFINITION = re.compile(
    r"\\(?:(?:re)?newcommand\*?|def|DeclareMathOperator\*?)\s{0,9}\{?\\(?P<name>[A-Za-z]{1,40})\}?"
    r"\s{0,9}(?:\[(?P<count>\d)\]|(?P<named>(?:#\d){0,9}))\s{0,9}(?=\{)"
)
_COMMENT = re.compile(r"(?<!\\)%.*")
_LISTING = re.compile(
    r"^[ \t]*\\(?:begin|end)\{(?:verbatim|lstlisting|minted)\*?\}.*$", re.MULTILINE
)
_TABLE = re.compile(r"\\begin\{tabular[x*]?\}")
_TABLE_END = re.compile(r"\\end\{tabular[x*]?\}")
_COLUMNS = re.compile(r"^(?:\s*(?:\{[^{}\n]{0,80}\}|\[[^\]\n]{0,80}\]))+")
_RULE = re.compile(r"\\(?:hline|toprule|midrule|bottomrule|cline\{[^{}\n]{0,20}\})")
_ROW_END = re.compile(r"\\\\(?:\[[^\]\n]{0,20}\])?")
# Environments that are part of a formula, whose reader needs them
_MATH = "bmatrix|pmatrix|vmatrix|Bmatrix|matrix|smallmatrix|array|cases|aligned|split"
_ENVIRONMENT = re.compile(
    rf"\\(?:begin|end)\{{(?!(?:{_MATH})\*?\}})[A-Za-z]+\*?\}}(?:\[[^\]\n]{{0,80}}\])?"
)
_STYLE = re.compile(r"\\(?:text(?:bf|it|tt|sc|sl)|emph|underline)\{([^{}\n]{0,2000})\}")
_LAYOUT = re.compile(
    r"\\(?:maketitle|newpage|clearpage|pagebreak|noindent|centering|bigskip|medskip|smallskip|"
    r"(?:[vh]space\*?|label|title|author|date)\{[^{}\n]{0,200}\})"
)
_NAMED_ITEM = re.compile(r"\\item\s*\[([^\]\n]{0,80})\]")
_ITEM = re.compile(r"\\item(?![A-Za-z])")
_CHARACTERS = {r"\_": "_", r"\%": "%", r"\&": "&", r"\#": "#", "``": '"'}
_MARKDOWN = re.compile(r"^(?:#{1,6}[ \t]|```)", re.MULTILINE)
_ARGUMENT = re.compile(r"#(\d)")
MOST_DEFINITIONS = 200
DEPTH = 4  # of macros that use macros
GROWTH = 4  # how much longer macros may make a text
LONGEST = 500  # characters of an argument
MOST_HEADINGS = 1000
MOST_USES = 10_000  # of macros


@dataclass(frozen=True, slots=True)
class _Macro:
    arguments: int
    body: str


def as_markdown(text: str) -> str:
    r"""Return a LaTeX document as Markdown, and other text, which may quote LaTeX, as it is."""
    preamble, begin, rest = text.partition(r"\begin{document}")
    if not begin or r"\documentclass" not in preamble or _MARKDOWN.search(preamble):
        return text
    body = rest.partition(r"\end{document}")[0]
    macros = _macros(_COMMENT.sub("", preamble))
    body = _expanded(_COMMENT.sub("", body), macros)
    for latex, plain in _CHARACTERS.items():
        body = body.replace(latex, plain)
    body = _LISTING.sub("```", body)
    body = _with_tables(body)
    body = _STYLE.sub(r"\1", _LAYOUT.sub("", body))
    body = _with_headings(body)
    body = _ITEM.sub("- ", _NAMED_ITEM.sub(r"\1 ", _ENVIRONMENT.sub("", body)))
    lines = (line.strip() for line in body.split("\n"))
    return "\n" * preamble.count("\n") + "\n".join(lines)


def _braced(text: str, start: int) -> tuple[str, int]:
    """Return what is between the brace at `start` and its partner, and the position after it."""
    depth = 0
    for position in range(start, min(len(text), start + LONGEST)):
        depth += (text[position] == "{") - (text[position] == "}")
        if depth == 0:
            return text[start + 1 : position], position + 1
    return "", start


def _macros(preamble: str) -> dict[str, _Macro]:
    macros: dict[str, _Macro] = {}
    for match in islice(_DEFINITION.finditer(preamble), MOST_DEFINITIONS):
        body, end = _braced(preamble, match.end())
        count = int(match["count"] or 0) or len(match["named"] or "") // 2
        if end > match.end():
            macros[match["name"]] = _Macro(count, " ".join(body.split()))
    return macros


def _expanded(text: str, macros: dict[str, _Macro]) -> str:
    """Return the text with macros replaced; one that makes it much longer stays."""
    if not macros:
        return text
    use = re.compile(rf"\\({'|'.join(sorted(macros, key=len, reverse=True))})(?![A-Za-z])")
    longest = GROWTH * len(text) + LONGEST
    for _ in range(DEPTH):
        pieces, position, size = [], 0, 0
        for match in islice(use.finditer(text), MOST_USES):
            if match.start() < position:
                continue
            replacement, end = _use(text, match.end(), macros[match[1]])
            pieces += [text[position : match.start()], replacement]
            size += match.start() - position + len(replacement)
            position = end
            if size > longest:
                return text
        if not pieces:
            break
        text = "".join([*pieces, text[position:]])
    return text


def _use(text: str, position: int, macro: _Macro) -> tuple[str, int]:
    """Return a macro's body with the arguments that follow it, and the position after them."""
    arguments: list[str] = []
    for _ in range(macro.arguments):
        ahead = text[position : position + LONGEST]
        position += len(ahead) - len(ahead.lstrip(" "))
        argument, end = text[position : position + 1], position + 1
        if argument == "{":
            argument, end = _braced(text, position)
            if end == position:  # it is never closed
                break
        arguments.append(argument)
        position = end

    def argument_of(match: re.Match[str]) -> str:
        number = int(match[1]) - 1
        return arguments[number] if 0 <= number < len(arguments) else ""

    return _ARGUMENT.sub(argument_of, macro.body), position


def _with_tables(text: str) -> str:
    pieces, position = [], 0
    while match := _TABLE.search(text, position):
        end = _TABLE_END.search(text, match.end())
        if end is None:
            break
        table = _rows(text[match.end() : end.start()])
        pieces += [text[position : match.start()], table]
        position = end.end()
    return "".join([*pieces, text[position:]])


def _rows(table: str) -> str:
    """Return a table in Markdown, with a line for each row, on as many lines if these suffice."""
    plain = _RULE.sub("", _COLUMNS.sub("", table))
    rows = [" ".join(row.split()) for row in _ROW_END.split(plain) if row.strip()]
    lines = [f"| {row.replace('&', '|')} |" for row in rows]
    lines[1:1] = ["|" + "---|" * (1 + rows[0].count("&"))] if rows else []
    return "\n".join(["", *lines, *[""] * (table.count("\n") - len(lines))])


def _with_headings(text: str) -> str:
    pieces, position = [], 0
    for match in islice(_HEADING.finditer(text), MOST_HEADINGS):
        title, end = _braced(text, match.end())
        if match.start() >= position and title:
            level = "#" * (_HEADINGS.index(match[1]) + 1)
            pieces.append(f"{text[position : match.start()]}{level} {' '.join(title.split())}")
            position = end
            if text[end : end + 1] not in ("\n", ""):
                pieces.append("\n")
    return "".join([*pieces, text[position:]])
