"""Each finds secrets of one form in a line."""
