"""What the engine keeps between runs: what files say, which belong together, and answers."""
