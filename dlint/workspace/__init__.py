"""Files: which there are, what kind they are, their text and the settings that hold for them."""
