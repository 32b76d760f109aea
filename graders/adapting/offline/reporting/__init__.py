"""Stand-ins for libraries that only draw or report: charts, wandb, progress bars."""
