"""The page of one student: `page.py` fills `reports/templates/student.html.jinja`."""
