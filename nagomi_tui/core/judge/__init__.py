"""The judge: evidence in, phase and verdict out, with the reason; no clock, no I/O."""
