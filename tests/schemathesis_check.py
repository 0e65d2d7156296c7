"""Has schemathesis try the HTTP API of a workplace of its own. Not a pytest file, and not in CI.

python -m venv /tmp/st && /tmp/st/bin/pip install schemathesis
.venv/bin/python -m tests.schemathesis_check /tmp/st/bin/schemathesis [OPTION…]
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.helpers.http_api import served
from tests.helpers.workplace import workplace


def main() -> int:
    """Return schemathesis's exit code."""
    program, *options = sys.argv[1:]
    with workplace(), served() as api:
        config = Path(__file__).with_name("schemathesis.toml")
        line = [
            program, "--config-file", str(config), "run",
            f"http://127.0.0.1:{api.port}/api/openapi.json",
            "-H", f"Authorization: Bearer {api.token}", "--exclude-path", "/api/events",
            "--phases", "examples,coverage,fuzzing", "--max-examples", "40",
            "--request-timeout", "20", "--max-time", "150", *options,
        ]  # fmt: skip
        return subprocess.run(line, check=False, cwd="/").returncode


if __name__ == "__main__":
    sys.exit(main())
