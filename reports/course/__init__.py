"""The course page: `page.py` fills `reports/templates/course.html.jinja`."""
