"""Fixes: operations that rules ask for, lowered to text edits and written to files."""
