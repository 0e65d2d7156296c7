"""The judge's pane: why a session is shown as it is, and what can be done about it."""
