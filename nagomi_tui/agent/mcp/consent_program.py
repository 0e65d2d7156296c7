"""The program of a session that asks the user for consent; its exit status is the answer.

As it runs in a session like any other, it calls the user as every question in a session does, and
the user can answer in that session, in the chat or by `nagomi answer`.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Final

VARIABLE: Final = "NAGOMI_QUESTION"
"""The environment variable with the question: a JSON array of a list of lines, and the prompt."""
YES: Final = 10
"""The exit status for yes; neither a crash of the program nor a signal causes it."""


def main() -> int:
    """Show the question, read one line, and return the exit status: `YES`, or 1 for no."""
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
