"""Find and start this machine's Chromium for tests."""

import shutil

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--in-process-gpu",  # one process and fewer copies; there is no GPU
    "--disable-site-isolation-trials",  # every page comes from one place
]
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
