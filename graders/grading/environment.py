"""Describe the environment in which a Result was made."""

import hashlib
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from graders.checks.inputs import PUBLIC
from graders.grading.options import Options
from graders.model import Assignment

PACKAGES = (
    "softmark", "torch", "transformers", "numpy", "scipy", "pytest", "hypothesis",
    "safetensors",
)  # fmt: skip


def environment_of(assignment: Assignment, options: Options) -> dict[str, object]:
    """Return the versions, device, isolation tier, seeds and inputs of one grading."""
    return {
        "isolation": options.tier.value,
        "device": "cpu",  # of the checks; `rerun` says what a training used
        "seeds": {"assignment": assignment.seed},
        "inputs": inputs_in_words(options.inputs_seed),
        "python": platform.python_version(),
        "platform": platform.platform(terse=True),
        "versions": dict(_versions()),
    }


def inputs_in_words(inputs_seed: int) -> str:
    """Describe the inputs without revealing the secret: equal texts mean equal inputs."""
    if inputs_seed == PUBLIC:
        return "public"
    digest = hashlib.sha256(b"softmark inputs" + inputs_seed.to_bytes(16, "big")).hexdigest()
    return f"secret, sha256 {digest[:16]}"


@cache
def _versions() -> tuple[tuple[str, str], ...]:
    return tuple((name, version_of(name)) for name in PACKAGES)


def version_of(name: str) -> str:
    """Return the version of an installed package, or `not installed`."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
