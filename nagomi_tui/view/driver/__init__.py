"""The outer terminal: its input as tokens and key strokes, where they go, and the frames written to it."""
