"""Provide what the author of a check uses, and run checks.

Start with `plugin.py`: its fixtures are the arguments of a check. `score.py` keeps partial credit
and notes, `verdict.py` turns the end of a check into a result, `compare.py` has the tolerances.
"""
