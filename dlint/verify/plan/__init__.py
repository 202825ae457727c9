"""What is tried: fixes, trials and the script that they are tried on."""
