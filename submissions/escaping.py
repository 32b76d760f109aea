"""Make text from an upload safe to use in a sentence."""

CUT = 80  # characters; the middle of a longer name is cut out


def shown(text: str, cut: int = CUT) -> str:
    r"""Return the text in backticks, with unprintable characters escaped (`\x1b`), cut at `cut`.

    A name can contain terminal escapes, line breaks or characters that reverse the line. A message
    must show such a name, not obey it. HTML is not escaped here: the reports do that.
    """
    kept = text if len(text) <= cut else f"{text[: cut - 20]}…{text[-19:]}"
    return f"`{''.join(c if c.isprintable() else _escaped(c) for c in kept)}`"


def listed(names: list[str], most: int = 3) -> str:
    """Return the first few names, each as `shown`, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(shown(name) for name in names[:most]) + more


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
