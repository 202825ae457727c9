"""Which versions of torch and Python a project is for, and what depends on them."""
