"""dlint: find, fix and measure the mistakes people make around torch's DataLoader."""

__version__ = "0.1.0"
