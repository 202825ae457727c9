"""What an object holds once it is made, and how code takes it out again."""
