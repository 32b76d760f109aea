def answer(function, args, kwargs):
    return ["\ud800\x00\x1b", "x" * 10**8]
