"""`run.py`: it trains, saves and evaluates with the handout's sizes and files."""
