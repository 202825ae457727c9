"""The folder that is put on PYTHONPATH of a measured process; nothing of dlint imports it."""
