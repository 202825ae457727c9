"""From measurements to verdicts."""
