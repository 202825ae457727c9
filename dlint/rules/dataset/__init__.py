"""Rules about map-style datasets and what they keep."""
