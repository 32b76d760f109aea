"""An object that answers instead of a student; its answers are read like a process's reply."""

from functools import cached_property

from graders.boundary.outcome import read_reply
from graders.boundary.student import Student


class Answering:
    """Subclasses say what `answer(function, **values)` gives."""

    once = Student.once

    @cached_property
    def kept(self):
        return {}

    def call(self, function, /, *, read=None, **values):
        reply = self.answer(function, **values)
        return reply if read is None else read_reply(read, reply)


class Replies(Answering):
    """A student who answers the same to every question, or what `value(values)` gives."""

    def __init__(self, value):
        self.value = value

    def renew(self):
        pass

    def answer(self, function, /, **values):
        return self.value(values) if callable(self.value) else self.value


def passing(refusals, calls):
    """The names of the calls that no refusal ends; whatever else they raise is raised."""
    names = []
    for name, call in calls.items():
        try:
            call()
        except refusals:
            continue
        names.append(name)
    return names
