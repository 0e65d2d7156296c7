"""Where tiles, windows and the character go on the screen."""
