"""Names: what they are bound to, and which module an import means."""
