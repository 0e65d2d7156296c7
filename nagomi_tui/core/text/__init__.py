"""Rows, styles and text measured in terminal cells."""
