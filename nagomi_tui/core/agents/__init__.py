"""What nagomi knows of each coding agent, but for the rules by which its screen is read."""
