"""The rules, a family a folder: each a function from the program to its findings."""
