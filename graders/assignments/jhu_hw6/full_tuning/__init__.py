"""Full tuning: a classifier on the pooled output; all parameters are trained."""
