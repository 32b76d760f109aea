"""Compare the value of a typed formula with numpy's."""

import numpy as np

from graders.written.formula import evaluate, parse

RNG = np.random.default_rng(1)


def vectors(*names, size=5):
    return {name: RNG.standard_normal(size) for name in names}


def assert_comes_to(text, values, wanted, families=None, names=()):
    formula = parse(text, (*values, *(names or ())))
    found = evaluate(formula, values, families=families or {})
    assert np.shape(found) == np.shape(wanted)
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)


KEYS = vectors("k_a", "k_b") | {"beta": 7.0, "h": 4.0, "n": 6.0, "d": 5.0}
