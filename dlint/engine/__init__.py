"""From a request to its outcome: programs are made, rules run, crashes blamed."""
