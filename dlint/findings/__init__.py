"""What a rule says: places, findings, diagnostics, and the operations a fix is made of."""
