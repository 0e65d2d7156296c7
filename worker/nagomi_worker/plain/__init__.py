"""Modules of our own in place of compiled ones that cannot be had on the far side.

This folder is put on the path by `packed`; each module offers of its namesake what the worker uses.
"""
