"""Puts nagomi's hooks into the settings of coding agents, and takes them back."""
