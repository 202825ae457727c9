"""Front-ends of config files: each lowers its dialect to the call records that Python code has."""
