"""The judge's senses: turns output, hooks and process states into evidence for `core.judge`."""
