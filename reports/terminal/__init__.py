"""Print to the terminal: results.py for one submission, check.py for a student's own work."""
