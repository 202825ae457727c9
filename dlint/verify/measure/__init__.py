"""What runs took: records, windows, epochs, pairs and runs that take turns."""
