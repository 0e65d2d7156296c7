"""The agent modes (calm, reserved, autonomous), and what a mode change does to the notes."""
