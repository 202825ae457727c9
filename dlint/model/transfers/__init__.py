"""Copies of batches to a device, and of results to the host."""
