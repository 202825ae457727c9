"""Edits that are only worth trying, where a rule has no fix: measured by `dlint verify`."""
