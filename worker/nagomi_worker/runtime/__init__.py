"""What every part of the worker stands on: its loop, limits, lock, memory and signals."""
