"""Domain objects that rules ask: loaders, samplers, loops, transfers, datasets."""
