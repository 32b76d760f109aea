"""Reduce Unicode as people type it to letters, digits and a few signs."""

import unicodedata

from graders.written.formula.errors import FormulaError
from graders.written.formula.reading.marked import Marked

GREEK = dict(
    zip(
        "αβγδεζηθικλμνξοπρστυφχψως",
        (
            "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota",
            "kappa", "lambda", "mu", "nu", "xi", "omicron", "pi", "rho", "sigma", "tau",
            "upsilon", "phi", "chi", "psi", "omega", "sigma",
        ),
        strict=True,
    )
)  # fmt: skip
GREEK |= {
    letter.upper(): name.capitalize() for letter, name in list(GREEK.items()) if letter != "ς"
}
SIGNS = {
    **dict.fromkeys("−–—‐‑‒―﹣－", "-"),
    **dict.fromkeys("×✕✖⨯∗⁎＊", "*"),
    **dict.fromkeys("·∙⋅•‧・", "·"),
    **dict.fromkeys("÷∕⁄／", "/"),
    **dict.fromkeys("≈≃≅≡≔＝", "="),
    **dict.fromkeys("⊺", "⊤"),
    **dict.fromkeys("′’‘ʹ＇´", "'"),
    **dict.fromkeys("‖∥", "‖"),
    **dict.fromkeys("∣｜", "|"),
    **dict.fromkeys("〈⟨", "⟨"),
    **dict.fromkeys("〉⟩", "⟩"),
    **dict.fromkeys("…⋯", "…"),
    **dict.fromkeys("→⟶", "→"),
    **dict.fromkeys("∈∊", "∈"),
    **dict.fromkeys("≤⩽", "≤"),
    **dict.fromkeys("“”", '"'),
    **dict.fromkeys("`$&~", " "),
    **dict(zip("аеорсхіАВЕКМНОРСТХ", "aeopcxiABEKMHOPCTX", strict=True)),  # Cyrillic look-alikes
    **{"ß": "β", "ẞ": "β", "Ʃ": "∑", "ƒ": "f", "∆": "Δ"},
    "⨂": "⊗",
}
PLAIN = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 +-*/^_=()[]{}|,.;:'\\<>@!?#%\""
) | frozenset("·⊤‖⟨⟩…→∈≤√∑∞†≫⊗")
ARROWS = "\u20d7\u20d1\u20d6"  # an arrow over a letter means vector, as bold does
FORMS = ("<font>", "<wide>", "<narrow>", "<compat>", "<noBreak>", "<square>", "<small>")


def plain_characters(marked: Marked) -> Marked:
    """Return only letters, Greek letters, digits and known signs. Raises FormulaError otherwise."""
    text: list[str] = []
    origin: list[int] = []
    level = ""
    for character, at in zip(marked.text, marked.origin, strict=False):
        kind, written = plain_form(character, at)
        put = bracketed(level, kind) + written
        level = kind
        text.append(put)
        origin += [at] * len(put)
    end = bracketed(level, "")
    return Marked("".join(text) + end, (*origin, *[marked.origin[-1]] * (len(end) + 1)))


def bracketed(before: str, now: str) -> str:
    """Return what is inserted between two characters if only one is a superscript or subscript."""
    if before == now:
        return ""
    return ("}" if before else "") + {"": "", "<super>": "^{", "<sub>": "_{"}[now]


def plain_form(character: str, at: int) -> tuple[str, str]:
    """Return whether a character is a superscript or subscript, and its form on the line."""
    if (sign := SIGNS.get(character, character)) in PLAIN or sign in GREEK:
        return "", sign
    form, _, code = unicodedata.decomposition(character).partition(" ")
    if form in ("<super>", "<sub>"):
        return form, "".join(plain_form(chr(int(point, 16)), at)[1] for point in code.split())
    if form == "<fraction>":
        return "", f"({'/'.join(unicodedata.normalize('NFKC', character).split('⁄'))})"
    return "", by_category(character, form, at)


def by_category(character: str, form: str, at: int) -> str:
    """Return a space, nothing or a plainer form. Raises FormulaError, which names the character."""
    category = unicodedata.category(character)
    if category in ("Zs", "Zl", "Zp") or character in "\t\n\r\f\v":
        return " "
    if category == "Cf" or character in ARROWS:
        return ""
    plainer = unicodedata.normalize("NFKC", character)
    if form in FORMS and plainer != character and len(plainer) == 1:
        return plain_form(plainer, at)[1]
    if category[0] in "CM":
        raise FormulaError(f"There is an unreadable character (U+{ord(character):04X}) here.", at)
    raise FormulaError(f"The character `{character}` does not belong in a formula.", at)
