"""The settings view."""
