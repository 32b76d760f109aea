"""The page of a course: `page.py` fills `reports/templates/course.html.jinja`."""
