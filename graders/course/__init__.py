"""Turn Results into grades: deadlines, final grades, releases, reviews and regrades.

Start with `final_grades.py`, which applies drops, late penalties and rounding. `regrade.py` grades
again after a change of the checks, and `review.py` lists what people have to decide.
"""
