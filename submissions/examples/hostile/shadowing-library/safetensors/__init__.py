dumps = loads = load = save = encode = decode = lambda *args, **kwargs: b'{}'
