"""Draw the random inputs of checks: equal seeds and purposes give equal inputs.

    inputs_seed, assignment.seed -- keyed hash of a purpose --> seed
    seed --> random.Random, numpy's Generator, hypothesis, the student's process

A derived seed reveals neither `inputs_seed` nor the seed of another purpose.
"""

import hashlib
import random
from dataclasses import dataclass, field

import numpy as np

PUBLIC = 0  # the seed of `check`, `validate` and `demo`, whose inputs anyone can know


@dataclass(frozen=True, slots=True)
class Inputs:
    """The source of all random inputs of one grading.

    `inputs_seed` is PUBLIC or a secret of at least 120 bits; it never leaves the trusted side.
    """

    inputs_seed: int = field(default=PUBLIC, repr=False)
    assignment_seed: int = 0

    def random(self, *purpose: object) -> random.Random:
        """Return a generator of the standard library for this purpose.

        A purpose is one value or several, distinguished by their `repr`.
        """
        return random.Random(self._number(purpose, 16))  # noqa: S311  its seed is a keyed hash

    def generator(self, *purpose: object) -> np.random.Generator:
        """Return a numpy generator for this purpose."""
        return np.random.default_rng(self._number(purpose, 16))

    def seed(self, *purpose: object) -> int:
        """Return a number below 2**32 for this purpose, as a seed."""
        return self._number(purpose, 4)

    def _number(self, purpose: tuple[object, ...], size: int) -> int:
        key = self.inputs_seed.to_bytes(16, "big")
        text = repr((self.assignment_seed, purpose)).encode("utf-8", "surrogatepass")
        return int.from_bytes(hashlib.blake2b(text, key=key, digest_size=size).digest(), "big")
