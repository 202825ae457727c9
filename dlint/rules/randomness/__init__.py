"""Rules about seeds, orders and what is resumed."""
