"""The error for a formula that cannot be used: a sentence, and a caret below the text."""

WINDOW = 60  # characters of the student's text on a pointed line


class FormulaError(Exception):
    """A formula that cannot be read or computed.

    `position` is an index in the student's own text.
    """

    def __init__(self, message: str, position: int = 0, text: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.position = position
        self.text = text

    def within(self, text: str) -> "FormulaError":
        return FormulaError(self.message, self.position, text)

    def pointed(self) -> str:
        """Return the student's text on one line, with a caret below the character in question."""
        start = max(0, min(self.position - WINDOW // 2, len(self.text) - WINDOW))
        line = "".join(map(shown, self.text[start : start + WINDOW]))
        caret = max(0, min(self.position - start, len(line)))
        return f"{line}\n{' ' * caret}^"


class Mismatch(FormulaError):
    """A readable formula whose shapes don't match: it is incorrect, not unreadable."""

    def within(self, text: str) -> "Mismatch":
        return Mismatch(self.message, self.position, text)


def shown(character: str) -> str:
    """Return one column for one character, whatever it is."""
    return (
        character if character.isprintable() else " " if character.isspace() else "\N{MIDDLE DOT}"
    )
