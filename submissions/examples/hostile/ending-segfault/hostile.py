import ctypes


def answer(function, args, kwargs):
    ctypes.string_at(0)
