"""What several benchmarks use: multiplexers to run, an outer terminal, streams, and readings of processes."""
