"""The judge: turns evidence into a state, a verdict and its reason, without clock or I/O."""
