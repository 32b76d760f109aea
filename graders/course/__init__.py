"""What a course does with Results: deadlines, final grades, releases, reviews and regrades.

Start with `final_grades.py`, where drops, late penalties and rounding are applied. `regrade.py`
grades again after a change of the checks, and `review.py` lists what people have to decide.
"""
