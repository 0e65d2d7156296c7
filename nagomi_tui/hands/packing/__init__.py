"""Brings the worker to where none is installed, over the line on which it then speaks.

A word of the protocol is a line: `nagomi-far KIND JSON` from there, an order as JSON to there.
"""
