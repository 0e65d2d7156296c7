"""Questions with choices, read from a program's screen."""
