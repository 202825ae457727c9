"""Worker processes: how they start, what code runs in them, what they keep."""
