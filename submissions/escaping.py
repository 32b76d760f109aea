"""Words for sentences: text from an upload made safe, the first names of a list, a count.

`split_names` reads a list back.
"""

from collections.abc import Sequence

CUT = 80  # characters; the middle of a longer name is cut out


def shown(text: str, cut: int = CUT) -> str:
    r"""Return the text in backticks, with unprintable characters escaped (`\x1b`), cut at `cut`.

    A name can contain terminal escapes, line breaks or characters that reverse the line. A message
    must show such a name, not obey it. HTML is not escaped here: the reports do that.
    """
    short = text if len(text) <= cut else f"{text[: cut - 20]}…{text[-19:]}"
    return f"`{''.join(c if c.isprintable() else escaped(c) for c in short)}`"


def listed(names: list[str]) -> str:
    """Return the first names of a list as `first_few` does, each as `shown`."""
    return first_few([shown(name) for name in names])


def first_few(names: Sequence[str], most: int = 3) -> str:
    """Return the first names of a list for a sentence, and the number of the others."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def split_names(text: str) -> frozenset[str]:
    """Return the names in a list such as `ada, bob`."""
    return frozenset(name.strip() for name in text.split(",") if name.strip())


def counted(count: int, noun: str) -> str:
    """Return a number of things in words: `1 submission`, `2 submissions`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def escaped(character: str) -> str:
    r"""Return a character as in Python source, such as `\x1b`, which every student can read."""
    return character.encode("unicode_escape").decode("ascii")
