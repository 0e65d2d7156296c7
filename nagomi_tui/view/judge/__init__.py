"""The judge's pane."""
