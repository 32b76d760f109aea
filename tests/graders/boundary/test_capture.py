"""The output of a child is kept up to a limit, and never blocks or fills anything."""

import os

import pytest

from graders.boundary.limits.capture import FileCapture, PipeCapture


@pytest.fixture(params=["pipe", "file"])
def capture(request, tmp_path):
    return PipeCapture(10) if request.param == "pipe" else FileCapture(tmp_path / "output", 10)


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("grüße".encode(), "grüße"),
        (b"x" * 50, "x" * 10 + "\n[cut here: too much output]"),
        (b"\xff\xfe", "\ufffd\ufffd"),
    ],
    ids=["text", "too much", "no text"],
)
def test_text_is_kept_up_to_the_limit(capture, written, text):
    os.write(capture.write, written)
    capture.started()
    capture.close()
    assert capture.text() == text


def test_pipe_held_open_by_a_daemon_does_not_block():
    capture = PipeCapture(10)
    daemon = os.dup(capture.write)
    capture.started()
    capture.close()
    os.close(daemon)


def test_full_pipe_is_read_to_its_end_but_not_forever():
    capture = PipeCapture(10)
    os.set_blocking(capture.write, False)
    while True:
        try:
            os.write(capture.write, b"x" * 4096)
        except BlockingIOError:
            break
    capture.started()
    capture.close()
    assert capture.text().startswith("x" * 10)
