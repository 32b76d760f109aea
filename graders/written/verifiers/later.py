"""What a student's bundle asks instead of the verifiers: whether an answer is there."""

from typing import NoReturn

from graders.written.judgement import Asked, Undecided
from graders.written.reading.split import listed


def later(asked: Asked) -> NoReturn:
    """Say which parts are missing, and nothing of those that are there. No settings."""
    missing = [part for part in asked.machine.parts if part not in asked.parts]
    said = f"Not answered: {listed(missing)}. The rest is judged" if missing else "Judged"
    raise Undecided(f"{said} after you hand it in.")
