"""Puts the guard's hook into clients' settings, and sees whether it can work there."""
