"""Rules about the arguments of one loader."""
