"""What the judge hears of a session: its screen, signals, hooks and processes."""
