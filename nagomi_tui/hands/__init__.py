"""Hands (手): commands that run another command elsewhere, over ssh or in a container."""
