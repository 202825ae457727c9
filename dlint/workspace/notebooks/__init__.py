"""Jupyter notebooks: one module made of the code cells, and the way back to the file."""
