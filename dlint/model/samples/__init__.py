"""Samples: how they are made, what they consist of, and how batches are made of them."""
