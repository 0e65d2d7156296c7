"""The terminal's input as tokens and key strokes, and where they go."""
