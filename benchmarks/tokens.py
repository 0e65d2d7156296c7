"""How far the guess of a request's tokens is from what a real tokenizer counts.

`python -m benchmarks tokens FILE` with a `tokenizer.json` and the package `tokenizers`; both are in
the environment that `pip install anthropic==0.38.0` makes, the last one with a tokenizer in it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from nagomi_tui.agent.context.sizes import tokens_in

_ROOT: Final = Path(__file__).resolve().parent.parent
_NO_PROSE: Final = re.compile(r"[|`#!\[<]")


def main(arguments: list[str]) -> None:
    """Print the guess and the count of four kinds of text."""
    tokenizer = _tokenizer(arguments[0]) if arguments else None
    if tokenizer is None:
        print("tokens: not measured, it takes a tokenizer.json and the package tokenizers")
        return
    for name, text in _texts().items():
        real, guess = len(tokenizer.encode(text).ids), tokens_in(text)
        print(
            f"{name:14} {len(text):7} characters {real:7} tokens, guess {_error(guess, real)}, "
            f"characters/4 {_error(len(text) // 4, real)}"
        )


def _tokenizer(path: str) -> Any:
    try:
        from tokenizers import Tokenizer  # type: ignore[import-not-found, unused-ignore]
    except ModuleNotFoundError:
        return None
    return Tokenizer.from_file(path)


def _texts() -> dict[str, str]:
    code = sorted((_ROOT / "nagomi_tui" / "orchestrator").rglob("*.py"))[:30]
    return {
        "Japanese": _prose("README.ja.md"),
        "English": _prose("README.md"),
        "Python": "".join(path.read_text() for path in code),
        "JSON": (_ROOT / "tests" / "golden" / "front_end_defaults.json").read_text(),
    }


def _prose(name: str) -> str:
    lines = (_ROOT / name).read_text().splitlines()
    return "\n".join(line for line in lines if line and not _NO_PROSE.match(line))


def _error(guess: int, real: int) -> str:
    return f"{100 * (guess / real - 1):+.0f} %"
