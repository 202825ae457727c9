"""Comments that silence findings: read, applied, checked and added."""
