"""Write a Result as Gradescope's results.json."""
