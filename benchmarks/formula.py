"""What the formula checker costs at its worst: hostile texts, random ones, spoiled right answers.

    python benchmarks/formula.py [--count 20000] [--seed 0]

Each text is parsed, and where that succeeds evaluated and expanded. Printed are the slowest text,
how much memory all of them took beyond the imports, and whether anything but FormulaError came out.
"""

import argparse
import resource
import time
from dataclasses import dataclass

from support.formula_corpus import NASTY, RIGHT, random_texts, read


@dataclass(frozen=True, slots=True)
class Tried:
    """One text, how long it took, and what escaped if anything did."""

    text: str
    seconds: float
    escaped: str = ""


def tried(text: str) -> Tried:
    """What one text does."""
    start = time.perf_counter()
    escaped = ""
    try:
        read(text)
    except Exception as error:  # noqa: BLE001  what must not happen is what is counted here
        escaped = f"{type(error).__name__}: {error}"[:200]
    return Tried(text, time.perf_counter() - start, escaped)


def resident() -> float:
    """The most MiB that this process held so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def report(name: str, found: list[Tried]) -> None:
    """One line, and one more for each text from which something escaped."""
    worst = max(found, key=lambda each: each.seconds)
    middle = sorted(each.seconds for each in found)[len(found) // 2]
    print(
        f"{name:8} {len(found):7} texts  median {1e3 * middle:6.2f} ms"
        f"  worst {1e3 * worst.seconds:7.1f} ms {worst.text[:40]!r}"
    )
    for each in found:
        if each.escaped:
            print(f"  escaped from {each.text[:60]!r}: {each.escaped}")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    tried(RIGHT[0])  # the grammar is built once
    before = resident()
    report("corpus", [tried(text) for text in NASTY])
    report("random", [tried(text) for text in random_texts(options.count, options.seed)])
    print(f"memory   {resident() - before:.1f} MiB beyond the imports")


if __name__ == "__main__":
    main()
