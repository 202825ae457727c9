"""Rules about batches on their way to a device."""
