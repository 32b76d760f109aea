"""The student side of the boundary's own tests: a child that does what it is told."""


def echo(value=None):
    return value


def run(source, **values):
    """Run some code as a student's function would run, and return its `result`."""
    scope = {"__name__": "attack", **values}
    exec(source, scope)
    return scope.get("result")


def make(module, function, **values):
    """Call a function of the student's."""
    from importlib import import_module

    return getattr(import_module(module), function)(**values)
