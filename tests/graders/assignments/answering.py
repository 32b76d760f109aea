"""What tests put in a student's place: an object that answers, read as a process's reply is."""

from graders.boundary.outcome import read_reply


class Answering:
    """Subclasses say what `answer(function, **values)` gives."""

    def call(self, function, /, *, read=None, **values):
        reply = self.answer(function, **values)
        return reply if read is None else read_reply(read, reply)
