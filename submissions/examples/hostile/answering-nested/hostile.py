def answer(function, args, kwargs):
    endless = {}
    endless["again"] = [endless]
    return endless
