import importlib.util
import sys

import numpy as np
import pytest

from graders.errors import UsageError
from graders.written.free_text import similarity
from graders.written.free_text.similarity import MiniLM, TfIdf, best_encoder

INSTALLED = importlib.util.find_spec(similarity.PACKAGE) is not None
needs_weights = pytest.mark.skipif(not INSTALLED, reason="softmark[encoder] is not installed")
TEXTS = (
    "The keys are scaled before the softmax.",
    "Before the softmax one scales a key.",
    "Byte-pair merging builds the vocabulary.",
)


def test_tf_idf_ranks_the_rewording_first():
    rows = TfIdf().encode(TEXTS)
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.2
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)


def test_tf_idf_takes_nothing_and_letters_that_cannot_be_written():
    assert TfIdf().encode([]).shape == (0, 4096)
    assert not TfIdf().encode(["", "?!"]).any()
    assert np.isfinite(TfIdf().encode(["\ud800 lone", "ok"])).all()


@pytest.mark.slow
@needs_weights
def test_minilm_knows_synonyms():
    encoder = best_encoder()
    assert encoder.name == "minilm"
    rows = encoder.encode(
        ("The car is quick.", "An automobile is fast.", "Softmax sums to one.", "")
    )
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.3
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert encoder.encode([]).shape == (0, 384)


@needs_weights
def test_other_weights_are_refused(monkeypatch):
    monkeypatch.setattr(similarity, "WEIGHTS", "0" * 64)
    assert best_encoder().name == "tf-idf"
    with pytest.raises(UsageError, match="differ from the published"):
        MiniLM()


def test_without_the_package_words_are_counted(monkeypatch):
    monkeypatch.setattr(similarity, "PACKAGE", "no_such_package_here")
    assert isinstance(best_encoder(), TfIdf)


def test_importing_it_loads_no_encoder():
    assert similarity.__name__ in sys.modules
    with open(similarity.__file__, encoding="utf-8") as file:
        assert "\nimport torch" not in file.read()
