CACHE = {}


def answer(function, args, kwargs):
    if function.__name__ not in CACHE:
        CACHE[function.__name__] = function(*args, **kwargs)
    return CACHE[function.__name__]
