"""Loaders: what they are made with, who makes and iterates them, what frameworks do for them."""
