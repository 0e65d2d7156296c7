"""What the guard decides, as values and pure functions: no file, no clock, no process."""
