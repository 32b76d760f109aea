"""Replace LaTeX commands by the same plain characters as everything else."""

import re

from graders.written.formula.errors import FormulaError
from graders.written.formula.reading.characters import GREEK
from graders.written.formula.reading.marked import Marked

FONTS = (
    "mathbf|boldsymbol|bm|pmb|mathrm|mathit|mathsf|mathnormal|mathcal|mathscr|mathbb|vec|textbf"
    "|textit|textrm|text|mbox|overrightarrow|underline|operatorname\\*?|overline|bold"
)
WRAPPED = re.compile(rf"\\(?:{FONTS})\s*\{{([^{{}}]*)\}}")  # `\mathbf{k}`
BARE_FONT = re.compile(rf"\\(?:{FONTS})(?![A-Za-z])")  # `\mathbf k`
ROOT = re.compile(r"\\sqrt\s*\[")
SINGLE = re.compile(r"(?<![_^⁄√])\{\s*([A-Za-z]+|[α-ωΑ-Ω])\s*\}(?=\s*_)")  # `{k}_a`
COMMAND = re.compile(r"\\([A-Za-z]+|.|$)", re.DOTALL)
FRACTION = re.compile(r"(?<=⁄)\s*([A-Za-z0-9α-ωΑ-Ω])")  # `⁄1`
SECOND = re.compile(r"(?<=⁄)(\{[A-Za-z0-9α-ωΑ-Ω]\})\s*([A-Za-z0-9α-ωΑ-Ω])")  # `⁄{1}2`
LETTERS = {name: letter for letter, name in GREEK.items() if letter != "ς"}
LETTERS |= {f"var{name}": LETTERS[name] for name in ("epsilon", "theta", "phi", "rho", "sigma")}
FUNCTIONS = ("log", "ln", "exp", "min", "max", "lg")
SPACES = (
    ",", ";", ":", "!", " ", "\\", "(", ")", "[", "]", "/", "\n", "~",
    "left", "right", "middle", "quad", "qquad", "displaystyle", "textstyle", "limits",
    "nolimits", "thinspace", "mathrm", "mathstrut", "hspace", "space", "enspace", "nonumber",
    "big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr", "biggl", "biggr", "Biggl",
    "Biggr", "bigm", "rm", "bf", "it",
)  # fmt: skip
WRITTEN = {
    **LETTERS,
    **{name: f" {name} " for name in FUNCTIONS},
    **dict.fromkeys(SPACES, " "),
    **dict.fromkeys(("frac", "dfrac", "tfrac", "cfrac"), "⁄"),
    **dict.fromkeys(("cdot", "bullet", "cdotp"), "·"),
    **dict.fromkeys(("times", "ast", "*"), "*"),
    **dict.fromkeys(("|", "Vert", "lVert", "rVert", "parallel"), "‖"),
    **dict.fromkeys(("vert", "lvert", "rvert", "mid"), "|"),
    **dict.fromkeys(("ldots", "cdots", "dots", "dotsc", "dotsb", "hdots"), "…"),
    **dict.fromkeys(("to", "rightarrow", "longrightarrow"), "→"),
    **dict.fromkeys(("le", "leq", "leqslant"), "≤"),
    **dict.fromkeys(("approx", "equiv", "simeq", "coloneqq"), "="),
    **dict.fromkeys(("top", "intercal"), "⊤"),
    **dict.fromkeys(("lbrace", "{"), "("),
    **dict.fromkeys(("rbrace", "}"), ")"),
    **{"lbrack": "[", "rbrack": "]", "_": "_", "^": "^", "infty": "∞", "in": "∈", "gg": "≫"},
    **{"sqrt": "√", "sum": "∑", "langle": "⟨", "rangle": "⟩", "otimes": "⊗", "div": "/"},
    **{"dagger": "†", "prime": "'", "lparen": "(", "rparen": ")", "gt": ">", "#": "#"},
}


def without_latex(marked: Marked) -> Marked:
    """Replace every command by a letter, a sign, a function's name or a space."""
    while WRAPPED.search(marked.text):
        marked = marked.unwrap(WRAPPED, " ", " ")
    if match := ROOT.search(marked.text):
        where = marked.origin[match.start()]
        raise FormulaError("Only square roots are supported here; write x^{1/3} for others.", where)
    marked = marked.replace(BARE_FONT, lambda _: " ")
    at = marked.origin
    marked = marked.replace(COMMAND, lambda match: written(match, at[match.start()]))
    marked = marked.unwrap(FRACTION, "{", "}")
    marked = marked.unwrap(SINGLE, " ", " ")
    return marked.replace(SECOND, lambda match: f"{match[1]}{{{match[2]}}}")


def written(match: "re.Match[str]", at: int) -> str:
    """Return the plain form of a command. Raises FormulaError if it is unknown."""
    if (plain := WRITTEN.get(match[1])) is not None:
        return plain
    raise FormulaError(f"The LaTeX command `\\{match[1][:20]}` is not supported here.", at)
