"""Rules about worker processes and what they share."""
