"""Text from an upload, made fit to stand in a sentence."""

CUT = 80  # characters; longer names keep their start and their end


def shown(text: str, cut: int = CUT) -> str:
    r"""The text in backticks, what cannot be printed escaped (`\x1b`, `\u202e`), cut at `cut`.

    A name can hold terminal escapes, line breaks or text that turns the line around; a message
    must show such a name, not obey it. HTML needs no care here: the reports escape it.
    """
    kept = text if len(text) <= cut else f"{text[: cut - 20]}…{text[-19:]}"
    return f"`{''.join(c if c.isprintable() else _escaped(c) for c in kept)}`"


def listed(names: list[str], most: int = 3) -> str:
    """The first few names, each as `shown`, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(shown(name) for name in names[:most]) + more


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
