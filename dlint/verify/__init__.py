"""Fixes run against the user's real training loop, measured and judged."""
