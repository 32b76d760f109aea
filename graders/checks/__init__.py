"""Provide what the author of a check uses, and run checks.

Start with `plugin.py`: its fixtures are the arguments of a check. `score.py` keeps partial credit
and notes, `compare.py` has the tolerances, and `mistakes.py` names known mistakes. `run.py` runs
the checks of a submission in one pytest session; `verdict.py` turns a check's end into a result.
"""
