import sys


class Deep:
    def __repr__(self):
        return repr(self)


def answer(function, args, kwargs):
    sys.setrecursionlimit(10**9)
    return repr(Deep())
