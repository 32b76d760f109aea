"""Which files of the upload are judged, and which others may be meant; beside student code."""

from adapters_mini import student
from adapters_sst2_code import code


def rivals() -> dict[str, list[str]]:
    """Return, for each file taken, those that may as well be the one that was meant."""
    return {**student().rivals(), **code().rivals()}


def places() -> dict[str, str]:
    """Return, for each name found, where it is defined; and what stands for a whole criterion."""
    names = {name: found for found in (student(), code()) for name in found.found}
    known = {name: f"`{name}` in {found.place(name)}" for name, found in names.items()}
    whole = {"mini-transformer": "self_attention", "sst2-data": "SST2Dataset", "sst2-main": "main"}
    return {**{key: known[name] for key, name in whole.items() if name in known}, **known}
