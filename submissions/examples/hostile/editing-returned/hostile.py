def answer(function, args, kwargs):
    return args[-1] if args else function(*args, **kwargs)
