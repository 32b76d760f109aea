"""What a Result says about where it was made."""

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from graders.model import Assignment

PACKAGES = ("softmark", "torch", "numpy", "scipy", "pytest", "hypothesis", "safetensors")


def environment_of(assignment: Assignment, tier: str, device: str) -> dict[str, object]:
    """Versions, device, isolation tier and seeds of one grading."""
    return {
        "isolation": tier,
        "device": device,
        "seeds": {"assignment": assignment.seed},
        "python": platform.python_version(),
        "platform": platform.platform(terse=True),
        "versions": dict(_versions()),
    }


@cache
def _versions() -> tuple[tuple[str, str], ...]:
    return tuple((name, _version(name)) for name in PACKAGES)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
