"""Fine-tuning of the reference classifier: resumed where it stopped, measured, written down."""
