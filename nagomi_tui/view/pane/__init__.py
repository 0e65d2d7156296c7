"""A terminal pane: a session's picture as a widget, with its mouse, links and marks, and copy mode."""
