"""Where the time of a training script goes, from one run of it, and what could be won."""
