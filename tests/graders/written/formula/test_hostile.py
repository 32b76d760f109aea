"""Nothing that can be typed breaks the checker: it rejects only with FormulaError."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.support.formula_corpus import RIGHT, TOKENS, read

ROOT = Path(__file__).parents[4]
LIMITED = """
import resource, signal
from benchmarks.support.formula_corpus import NASTY, RIGHT, random_texts, read
read(RIGHT[0])
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + 200 * 2**20,) * 2)
for text in (*NASTY, *random_texts(1500, 1)):
    print(ascii(text[:200]))
    signal.alarm(30)
    read(text)
"""


MIXED = st.builds(
    str.join, st.sampled_from(("", " ")), st.lists(st.sampled_from(TOKENS), max_size=80)
)


@given(MIXED | st.text(max_size=300))
@settings(max_examples=500)
def test_tokens_in_any_order_and_any_text_are_read_or_refused(text):
    read(text)


@given(st.sampled_from(RIGHT), st.data())
@settings(max_examples=200)
def test_a_spoiled_answer_is_read_or_refused(text, data):
    at = data.draw(st.integers(0, len(text)))
    put = data.draw(st.sampled_from(TOKENS) | st.characters())
    read(text[:at] + put + text[at + data.draw(st.integers(0, 2)) :])


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads its size from /proc")
def test_nasty_texts_are_read_or_refused_in_200_mb_and_never_hang():
    """The process has 200 MB beyond its imports and dies by an alarm if one text hangs."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-u", "-c", LIMITED]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, (done.stdout.splitlines()[-1:], done.stderr[-2000:])
