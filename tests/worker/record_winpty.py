"""Write winpty_signatures.json from a Windows wheel of pywinpty.

    python tests/worker/record_winpty.py pywinpty-3.1.2-cp312-cp312-win_amd64.whl

The wheel comes from `pip download --platform win_amd64 --python-version 3.12
--only-binary=:all: --no-deps pywinpty`.
"""

from __future__ import annotations

import ast
import json
import sys
import zipfile
from pathlib import Path

TARGET = Path(__file__).with_name("winpty_signatures.json")


def signatures(stub: str) -> dict[str, list[str]]:
    """Return the argument names of every method of `PTY` in a stub's text."""
    classes = [node for node in ast.parse(stub).body if isinstance(node, ast.ClassDef)]
    terminal = next(node for node in classes if node.name == "PTY")
    methods = [node for node in terminal.body if isinstance(node, ast.FunctionDef)]
    return {method.name: [one.arg for one in method.args.args] for method in methods}


def main(wheel: Path) -> None:
    """Take the stub out of the wheel and record it."""
    with zipfile.ZipFile(wheel) as archive:
        stub = archive.read("winpty/_winpty.pyi").decode()
    record = {"version": wheel.name.split("-")[1], "PTY": signatures(stub)}
    TARGET.write_text(json.dumps(record, indent=2) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
