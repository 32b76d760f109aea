def answer(function, args, kwargs):
    raise (KeyboardInterrupt if args else GeneratorExit)()
