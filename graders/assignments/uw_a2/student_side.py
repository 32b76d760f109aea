"""Report which files of the upload are graded, and which others may be meant."""

from .mini_transformer.student_side import student
from .sst2.student_code import code


def rivals() -> dict[str, list[str]]:
    """Return, for each file used, others that could have been meant instead."""
    return {**student().rivals(), **code().rivals()}


def places() -> dict[str, str]:
    """Return where each name is defined, and the file for each whole criterion."""
    names = {name: gathered for gathered in (student(), code()) for name in gathered.found}
    texts = {name: f"`{name}` in {gathered.place(name)}" for name, gathered in names.items()}
    whole = {"mini-transformer": "self_attention", "sst2-data": "SST2Dataset", "sst2-main": "main"}
    return {**{key: texts[name] for key, name in whole.items() if name in texts}, **texts}


def notes() -> list[str]:
    """Return notes for the student about lines that are not valid Python."""
    return list(dict.fromkeys([*student().invalid, *code().invalid]))
