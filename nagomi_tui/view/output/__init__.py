"""Frames written straight to the outer terminal."""
