"""nagomi: a soft workplace in the terminal for many agents and commands at once."""

from typing import Final

__version__: Final = "0.1.0"
