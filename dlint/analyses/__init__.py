"""General questions about a program, each asked in one place."""
