"""Manage the secret that determines the random inputs of gradings: one per results folder.

DIR/store.sqlite keeps it; `--inputs FILE` gives two folders the same one.
"""

import hashlib
import secrets
import stat
from dataclasses import replace
from pathlib import Path

from graders.checks.inputs import PUBLIC
from graders.errors import UsageError
from graders.grading.options import GradingRequest
from graders.storage.store import Store

SECRET, PUBLICLY = "secret", "public"
SHORTEST = 32  # characters of a file: 128 bits as hexadecimal digits
MAKE_ONE = "python -c 'import secrets; print(secrets.token_hex())' makes one; keep it to yourself"


def new_secret() -> int:
    """Return a number of 128 random bits that is not the public seed."""
    return 1 + secrets.randbelow(2**128 - 1)


def settle_inputs_seed(store: Store, inputs: str = "") -> int:
    """Return the seed of the inputs of gradings into this store, and store it if it is the first.

    `inputs` is `secret`, `public`, a file, or "", which accepts whatever is stored. Raises
    UsageError if another seed is stored.
    """
    stored = store.inputs_seed()
    seed = read_inputs_seed(inputs, stored)
    if stored is None:
        store.keep_inputs_seed(seed)
    elif inputs and seed != stored:
        held = "public inputs" if stored == PUBLIC else "inputs from another secret"
        same = "add `--inputs public`" if stored == PUBLIC else "use the same inputs as before"
        raise UsageError(
            f"--inputs {inputs}: the saved results use {held}", f"{same}, or choose another --out"
        )
    return seed if stored is None else stored


def with_inputs_seed(request: GradingRequest, store: Store, inputs: str) -> GradingRequest:
    """Return the request with this store's inputs."""
    options = replace(request.options, inputs_seed=settle_inputs_seed(store, inputs))
    return replace(request, options=options)


def read_inputs_seed(inputs: str, stored: int | None = None) -> int:
    """Return the seed of `secret`, `public` or a file; `secret` is the one that is kept, or new."""
    if inputs == PUBLICLY:
        return PUBLIC
    if inputs in ("", SECRET):
        return stored or new_secret()
    return _read_secret(Path(inputs))


def _read_secret(file: Path) -> int:
    """Return the secret in a file; raises UsageError if it is missing, readable by all or short."""
    if not file.is_file():
        raise UsageError(
            f"--inputs {file}: no such file", f"pass secret, public or an existing file; {MAKE_ONE}"
        )
    if stat.S_IMODE(file.stat().st_mode) & stat.S_IROTH:
        raise UsageError(f"{file}: everyone on this machine can read it", f"chmod 600 {file}")
    text = file.read_bytes().strip()
    if len(text) < SHORTEST:
        raise UsageError(f"{file}: too short to be a secret", MAKE_ONE)
    return 1 + int.from_bytes(hashlib.sha256(text).digest()[:15], "big")
