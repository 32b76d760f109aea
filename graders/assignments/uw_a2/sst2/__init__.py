"""Code shared by the criteria of the SST-2 classifier."""
