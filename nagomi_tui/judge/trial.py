"""`python -m nagomi_tui.judge.trial FOLDER`: tells which patterns of a user's rules are too slow."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from nagomi_tui.judge import loading, patterns


def main() -> None:
    """Print the patterns that take too long on the samples of their own rules, as JSON."""
    loading.load(Path(sys.argv[1]))
    sys.stdout.write(json.dumps(patterns.take_given_up()))


if __name__ == "__main__":
    main()
