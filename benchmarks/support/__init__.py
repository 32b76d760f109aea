"""What several benchmarks share: submissions, texts and plain loops to compare with."""
