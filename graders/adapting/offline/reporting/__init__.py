"""Stand-ins for what only draws or reports: charts, wandb, progress bars."""
