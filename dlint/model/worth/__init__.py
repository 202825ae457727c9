"""What following a finding can bring: bytes of a batch, steps and epochs of a run."""
