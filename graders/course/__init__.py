"""What a course does with uploads before and with Results after they are graded.

Start with `final_grades.py`, where drops, late penalties and rounding are applied. `regrade.py`
grades again after a change of the checks, and `review.py` lists what people have to decide.
`gathering.py` and `preview.py` say which uploads a batch has, and which files these contain.
"""
