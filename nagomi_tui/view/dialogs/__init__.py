"""Dialogs over the views."""
