"""The probe: it imports nothing of dlint, and torch only when the program does."""
