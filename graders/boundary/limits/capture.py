"""Keep a child's output up to a limit, without blocking the child.

The child gets the descriptor `write`. Once it has started, `started` closes that end here; `close`
reads the rest, and `text` returns what was kept at any time.
"""

import os
from pathlib import Path
from typing import BinaryIO


class PipeCapture:
    """A pipe that the parent empties whenever it waits; output above the limit is discarded."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept = bytearray()
        self._cut = False
        self.read, self.write = os.pipe()
        os.set_blocking(self.read, False)

    def started(self) -> None:
        """Leave the writing end to the child."""
        os.close(self.write)

    def drain(self) -> bool:
        """Read what is in the pipe now; return False if no process can write to it anymore."""
        try:
            data = os.read(self.read, 2**16)
        except BlockingIOError:
            return True
        room = self._limit - len(self._kept)
        self._kept += data[:room]
        self._cut = self._cut or len(data) > room
        return bool(data)

    def text(self) -> str:
        """Return the text that was kept."""
        return _text(bytes(self._kept), cut=self._cut)

    def close(self) -> None:
        """Read the rest, at most a full pipe, and close."""
        for _ in range(16):
            if not self.drain():
                break
        os.close(self.read)


class FileCapture:
    """A file, for systems that cannot wait for a pipe (tier `none`)."""

    def __init__(self, path: Path, limit: int) -> None:
        self._path, self._limit = path, limit
        self._file: BinaryIO = path.open("ab")
        self._last = ""
        self.write = self._file.fileno()

    def started(self) -> None:
        """Leave the writing to the child."""
        self._file.close()

    def text(self) -> str:
        """Return the beginning of what was written."""
        if not self._path.exists():
            return self._last
        with self._path.open("rb") as file:
            data = file.read(self._limit + 1)
        return _text(data[: self._limit], cut=len(data) > self._limit)

    def close(self) -> None:
        """Remember the text and remove the file."""
        self._last = self.text()
        self._path.unlink(missing_ok=True)


Capture = PipeCapture | FileCapture


def _text(data: bytes, *, cut: bool) -> str:
    text = data.decode("utf-8", "replace")
    return f"{text}\n[cut here: too much output]" if cut else text
