"""The review page as a web application; app.py maps addresses to functions."""
