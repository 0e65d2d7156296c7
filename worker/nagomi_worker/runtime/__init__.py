"""What every part of the worker uses: event loop, limits, lock, memory and signals."""
