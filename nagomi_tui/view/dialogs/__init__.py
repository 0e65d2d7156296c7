"""Dialogs over the views, and the settings."""
