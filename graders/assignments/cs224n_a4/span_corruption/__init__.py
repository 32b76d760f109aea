"""Span corruption: the checks read thousands of random items; see docs/span-corruption.md."""
