"""Asks the user for consent, in a session of its own; the exit status is the answer.

A session like any other: it calls the user as every question does, and can be answered from the
chat, by `nagomi answer` or where it stands.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Final

VARIABLE: Final = "NAGOMI_QUESTION"
"""Holds the question: lines, then the prompt, as a JSON array of two."""
YES: Final = 10
"""The exit status for yes, which no failing program and no signal causes."""


def main() -> int:
    """Show the question and read one line."""
    lines, prompt = json.loads(os.environ[VARIABLE])
    for line in lines:
        sys.stdout.write(f"{line}\n")
    try:
        answer = input(f"\n{prompt} [y/N] ")
    except (EOFError, KeyboardInterrupt):
        return 1
    return YES if answer.strip().casefold() in ("y", "yes") else 1


if __name__ == "__main__":
    sys.exit(main())
