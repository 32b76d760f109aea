"""`--rerun`: run the student's training commands again and compare the results."""
