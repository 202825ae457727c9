"""Which settings of a loader are worth a trial, by what one run of the script shows."""
