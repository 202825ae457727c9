"""Rules about samplers, ranks and the samples that they give."""
