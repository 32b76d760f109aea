"""Rotary embeddings, in four files of checks.

`checks_table.py` for the table, `checks_application.py` for applying it, `checks_properties.py` for
what every rotation satisfies, and `checks_module.py` for the attention module that uses it.
"""
