"""Agent modes (calm, reserved, autonomous), and the notes that follow their transitions."""
