"""Values: the solver over all paths, and the evaluator of one path after another."""
