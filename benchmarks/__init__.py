"""Benchmarks: each runs nagomi and tmux in turn in one call, and prints ratios."""
