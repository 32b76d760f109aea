"""Code that several benchmarks share: submissions, texts and plain loops for comparison."""
