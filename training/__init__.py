"""The reference pipeline at speed: trains and evaluates reference/'s model, and writes it down."""
