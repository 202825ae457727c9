"""Data sets: where they come from, what they hold, how they are split and shared out."""
