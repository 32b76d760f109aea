"""Collect a course's uploads before grading, and turn its Results into grades afterwards.

Start with `final_grades.py`, which applies drops, late penalties and rounding. `gathering.py` and
`preview.py` find the uploads of a batch and list their files; `roster.py` and `extensions.py` read
the students and their due dates. `best_attempts.py` chooses among several attempts of a student,
and `merges.py` joins those under different names. `regrade.py` grades again after a change of the
checks and compares both grades, `review.py` collects what people have to decide, and `release.py`
decides what students see.
"""
