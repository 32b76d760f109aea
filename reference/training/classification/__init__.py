"""Fine-tune the reference classifier: resume interrupted runs, evaluate, record the results."""
