"""Turn an upload into a clean folder; nothing here imports the files that it unpacks."""
