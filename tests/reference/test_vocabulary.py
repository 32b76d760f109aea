"""The character vocabulary."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.data.vocabulary import MASK, PAD, Vocabulary


def test_pad_and_mask_come_first_and_an_unknown_character_is_named():
    assert Vocabulary("ba\nb").itos == {0: "\u25a1", 1: "\u2047", 2: "\n", 3: "a", 4: "b"}
    with pytest.raises(ValueError, match="'z' is not in the vocabulary"):
        Vocabulary("abc").encode("az")


@given(st.text(st.characters(exclude_characters=PAD + MASK)))
def test_decoding_undoes_encoding(corpus):
    vocabulary = Vocabulary(corpus)
    assert vocabulary.decode(vocabulary.encode(corpus)) == corpus
    assert len(vocabulary) == len(set(corpus)) + 2


@given(st.text(st.characters(exclude_characters=PAD + MASK)))
def test_characters_are_in_code_point_order(corpus):
    points = [ord(character) for character in list(Vocabulary(corpus).stoi)[2:]]
    assert points == sorted(set(points))


@pytest.mark.parametrize("kept", [PAD, MASK])
def test_corpus_cannot_hold_kept_characters(kept):
    with pytest.raises(ValueError, match="kept for the model"):
        Vocabulary(f"a{kept}b")


@pytest.mark.parametrize("module", ["vocabulary", "edition", "evaluation", "world"])
def test_trusted_side_imports_no_torch(module):
    code = f"import sys, reference.data.{module}; sys.exit('torch' in sys.modules)"
    root = Path(__file__).parents[2]
    assert subprocess.run([sys.executable, "-c", code], cwd=root, check=False).returncode == 0


@pytest.mark.data
@pytest.mark.parametrize("name", ["wiki.txt", "wiki_2021-2023.txt"])
def test_course_vocabulary_has_256_characters(course, name):
    assert len(Vocabulary((course / name).read_text(encoding="utf-8"))) == 256
