"""Calls: callees, callers, arguments, attributes of what is called."""
