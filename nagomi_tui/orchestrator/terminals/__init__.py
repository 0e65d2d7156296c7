"""The terminal engine of each session, and places in it that survive a reflow."""
