"""Runs of the script: started, bounded, ended without leaving anything behind."""
