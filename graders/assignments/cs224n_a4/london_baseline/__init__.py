"""The accuracy of answering London to every question."""
