"""The guard's decisions, as values and pure functions: no files, no clock, no processes."""
