"""Rules about iterable datasets."""
