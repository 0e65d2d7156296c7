"""PTYs, child processes and process trees, for POSIX and for Windows."""
