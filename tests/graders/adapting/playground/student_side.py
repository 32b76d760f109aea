"""The requests to the test's child: a gathered function, its notes, a device."""

from graders.adapting.devices import on_cpu
from graders.adapting.gathered import code_folder, gather


def ask(name, **values):
    """Call a function of the upload."""
    return gather(code_folder(), wanted=(name,))[name](**values)


def notes(name):
    """Call nothing."""
    return gather(code_folder(), wanted=(name,)).notes


def ask_on_cpu(name):
    """Call a function that asks for a GPU."""
    with on_cpu():
        return gather(code_folder(), wanted=(name,))[name]()
