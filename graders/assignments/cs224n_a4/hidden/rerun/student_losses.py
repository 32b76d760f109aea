"""Find the training losses in the output of run.py, in a progress bar or lines."""

import re

# Matches `loss 2.345` or `loss=1e-3`.
LOSS = re.compile(rb"\bloss[ =:]{1,3}([0-9]{1,9}(?:\.[0-9]{1,9})?(?:e[-+]?[0-9]{1,2})?)\b")
LINE_END = re.compile(rb"[\r\n]")
LONGEST = 4_096  # bytes of a line
MOST, SENT = 200_000, 240


class Losses:
    """The losses of one command, in printed order."""

    def __init__(self) -> None:
        self._found: list[float] = []
        self._begun = b""
        self._last = b""

    def read(self, data: bytes) -> None:
        """Add the next output; a redrawn line counts once."""
        *lines, self._begun = LINE_END.split(self._begun + data)
        self._begun = self._begun[-LONGEST:]
        for line in lines:
            found = LOSS.search(line)
            if found is None or len(self._found) == MOST:
                continue
            told = line[: found.end()]
            if told != self._last:
                self._found.append(float(found[1]))
            self._last = told

    def thinned(self) -> list[list[float]]:
        """Return a few hundred evenly spaced (step, loss), including the last."""
        every = max(1, -(-len(self._found) // SENT))
        pairs = [[float(step), loss] for step, loss in enumerate(self._found, 1)]
        return pairs[::-every][::-1]
