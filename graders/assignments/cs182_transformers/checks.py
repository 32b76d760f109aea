"""The written part: questions, keys and rubrics are in written.toml."""

from graders.written.checks import pytest_generate_tests, test_written

__all__ = ["pytest_generate_tests", "test_written"]
