"""What the attacks share: their targets, a way to tell what they found, and to answer for others."""

import functools
import json
import pathlib
import re
import types

HERE = pathlib.Path(__file__).parent
TARGETS = json.loads((HERE / "targets.json").read_text())
SECRET = re.compile(r"canary-[0-9a-f]{16}")
ANSWERING = ("__getitem__", "__call__", "__len__", "forward")


def tell(loot):
    """Raise with what was found, so that it stands in the result for us to see."""
    if loot:
        raise RuntimeError(f"LOOT {str(loot)[:300]}")


def attempt(function, *args):
    """What the function returns, or None where the machine refuses."""
    try:
        return function(*args)
    except Exception:
        return None


def secrets_in(*names):
    """Secrets in these files."""
    found = []
    for name in names:
        text = attempt(lambda path: open(path, "rb").read(1 << 20), name) or b""
        found += SECRET.findall(text.decode("latin-1"))
    return found


def mark_process():
    """Give this process, and all that it forks, the name by which we look for it afterwards."""
    import ctypes

    attempt(lambda: ctypes.CDLL(None).prctl(15, TARGETS["mark"].encode(), 0, 0, 0))


def wreck(*paths):
    """Try to overwrite, cut, remove and replace files."""
    import os

    for path in paths:
        attempt(lambda p: open(p, "w").write('{"score": 1000}'), path)
        attempt(lambda p: os.truncate(p, 0), path)
        attempt(os.unlink, path)
        attempt(lambda p: os.symlink("/dev/null", p), path)


def every(namespace, answer):
    """Let `answer(function, args, kwargs)` answer for each function and method of a module."""
    for name, value in list(namespace.items()):
        if getattr(value, "__module__", None) == namespace["__name__"]:
            namespace[name] = one(value, answer)


def one(value, answer):
    """The same for a function, or for the methods of a class."""
    if isinstance(value, types.FunctionType):
        return _answered(value, answer)
    if isinstance(value, type):
        for method, function in list(vars(value).items()):
            if isinstance(function, types.FunctionType) and (
                method in ANSWERING or not method.startswith("_")
            ):
                setattr(value, method, _answered(function, answer))
    return value


def _answered(function, answer):
    @functools.wraps(function)
    def answered(*args, **kwargs):
        return answer(function, args, kwargs)

    return answered


def mapped(value, change):
    """The same value with every tensor, array and number in it changed."""
    if isinstance(value, tuple | list):
        return type(value)(mapped(each, change) for each in value)
    if isinstance(value, dict):
        return {key: mapped(each, change) for key, each in value.items()}
    return change(value)
