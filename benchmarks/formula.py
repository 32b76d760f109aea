"""Measure the worst cost of the formula checker: hostile, random and damaged correct answers.

    python benchmarks/formula.py [--count 20000] [--seed 0]

Each text is parsed and, if that succeeds, evaluated and expanded. It prints the slowest text, the
memory in addition to the imports, and whether anything other than FormulaError was raised.
"""

import argparse
import resource
import time
from dataclasses import dataclass

from support.formula_corpus import RIGHT, hostile_texts, random_texts, read


@dataclass(frozen=True, slots=True)
class Tried:
    """One text, its CPU time, and the exception that escaped, if any."""

    text: str
    seconds: float
    escaped: str = ""


def tried(text: str) -> Tried:
    """Process one text."""
    start = time.process_time()
    escaped = ""
    try:
        read(text)
    except Exception as error:  # noqa: BLE001  what must not happen is what is counted here
        escaped = f"{type(error).__name__}: {error}"[:200]
    return Tried(text, time.process_time() - start, escaped)


def resident() -> float:
    """Return the peak memory of this process in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def report(name: str, cases: list[Tried]) -> None:
    """Print one line, and one more for each text from which an exception escaped."""
    worst = max(cases, key=lambda case: case.seconds)
    middle = sorted(case.seconds for case in cases)[len(cases) // 2]
    print(
        f"{name:8} {len(cases):7} texts  median {1e3 * middle:6.2f} ms"
        f"  worst {1e3 * worst.seconds:7.1f} ms {worst.text[:40]!r}"
    )
    for case in cases:
        if case.escaped:
            print(f"  escaped from {case.text[:60]!r}: {case.escaped}")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    tried(RIGHT[0])  # the grammar is built only once
    before = resident()
    report("corpus", [tried(text) for text in hostile_texts()])
    report("random", [tried(text) for text in random_texts(options.count, options.seed)])
    print(f"memory   {resident() - before:.1f} MiB beyond the imports")


if __name__ == "__main__":
    main()
