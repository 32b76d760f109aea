"""Numbers returned by evaluate and compute_accuracy, in any form."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graders.checks.compare import is_close

UNITS = (1.0, 100.0)  # an accuracy as a fraction, or in percent


@dataclass(frozen=True, slots=True)
class NumbersPlace:
    """The place and unit of the expected numbers in the returned values."""

    place: str
    unit: float
    type: str

    @property
    def note(self) -> str:
        """Anything unusual about it, or nothing."""
        remarks = []
        if self.place:
            remarks.append(f"it is one of several values (`{self.place}`)")
        if self.unit != 1:
            remarks.append("it is in percent")
        if self.type == "tensor":
            remarks.append("it is a tensor, but the handout uses a float")
        return f"The accuracy is correct; {' and '.join(remarks)}." if remarks else ""


def find(replies: Sequence[Any], expected: Sequence[float]) -> NumbersPlace | None:
    """Return the place of the expected accuracies in the replies, all in one place and unit."""
    tables = [dict(_numbers(reply)) for reply in replies]
    for place in tables[0] if tables else ():
        values = [table.get(place, (math.nan, ""))[0] for table in tables]
        for unit in UNITS:
            if all(_agree(v, e, unit) for v, e in zip(values, expected, strict=True)):
                return NumbersPlace(place, unit, tables[0][place][1])
    return None


def _agree(value: float, expected: float, unit: float) -> bool:
    return is_close(value / unit, expected, "share")


def _numbers(reply: Any) -> Iterator[tuple[str, tuple[float, str]]]:
    """Yield every number of a reply by place; the empty place is the reply itself."""
    if not isinstance(reply, dict):
        return
    parts = reply.get("parts")
    for place, part in ({"": reply} if not isinstance(parts, dict) else parts).items():
        value = part.get("value") if isinstance(part, dict) else None
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield str(place)[:40], (float(value), str(part.get("type"))[:20])


def in_words(reply: Any) -> str:
    """Describe a reply in a few words."""
    values = dict(_numbers(reply))
    if values:
        return ", ".join(f"{place} {value:.6g}".strip() for place, (value, _) in values.items())
    return f"a {str(reply.get('type'))[:40]}" if isinstance(reply, Mapping) else "nothing usable"
