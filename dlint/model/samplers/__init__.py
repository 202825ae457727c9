"""Samplers: which indices they give in which order, and what they are made with."""
