"""Training and evaluation of the SST-2 classifier."""
