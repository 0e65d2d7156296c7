"""What the agent does by itself in the modes reserved and autonomous."""
