"""nagomi: a soft workplace in the terminal for many agents and commands at once."""

__version__ = "0.1.0"
