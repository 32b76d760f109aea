"""The data of the SST-2 classifier: items, batches and splits."""
