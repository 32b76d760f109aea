"""The staff pages as a web application; app.py maps addresses to functions."""
