"""What copy mode works on: a session's lines as a grid, motions, selection and links."""
