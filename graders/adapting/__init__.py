"""What the adapters of all assignments share; it runs beside the student's code."""
