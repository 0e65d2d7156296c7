"""What every part of the worker uses: event loop, limits, lock, memory, open files and signals."""
