"""Next steps: what they are, how risky, and what a model is asked."""
