"""Processes that train together, and what starts them."""
