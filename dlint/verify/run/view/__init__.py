"""The view of the disk that a run has: what it changes is thrown away with it."""

KINDS = ("overlay", "landlock", "redirect")
"""What a view may rest on, the best first."""
