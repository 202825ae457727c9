"""Loops over batches and epochs: what they do, how often, and what a step waits for."""
