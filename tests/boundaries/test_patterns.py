"""No regular expression of the product depends on what Python 3.11.0 to 3.11.4 get wrong.

There a possessive repeat, or an atomic group, whose last round fails after it has taken characters
keeps them: `(?:x|y(?!z))*+` takes all of `xxyz`, where two letters are right. What such a group
holds must therefore be plain characters, which fail before they take anything.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).resolve().parents[2]
PRODUCT: Final = ("nagomi_tui", "worker/nagomi_worker")
_WORDS: Final = re._constants  # type: ignore[attr-defined]
_HOLDS: Final = (_WORDS.POSSESSIVE_REPEAT, _WORDS.ATOMIC_GROUP)
_MAY_FAIL_LATE: Final = (
    *_HOLDS,
    _WORDS.ASSERT,
    _WORDS.ASSERT_NOT,
    _WORDS.AT,
    _WORDS.MAX_REPEAT,
    _WORDS.MIN_REPEAT,
    _WORDS.GROUPREF,
    _WORDS.GROUPREF_EXISTS,
)
_SIGN: Final = re.compile(r"[*+?}]\+|\(\?>")
_COMPILED: Final = """
import importlib, json, pkgutil, re, sys
from re import _compiler

found, compiled = set(), _compiler.compile

def noting(pattern, flags=0):
    if isinstance(pattern, (str, bytes)):
        text = pattern if isinstance(pattern, str) else pattern.decode("latin-1")
        found.add((text, int(flags), isinstance(pattern, bytes)))
    return compiled(pattern, flags)

_compiler.compile = noting
importlib.import_module("nagomi_tui.text.patterns").lazy = re.compile
for package in map(importlib.import_module, ("nagomi_tui", "nagomi_worker")):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not module.name.endswith("__main__"):
            try:
                importlib.import_module(module.name)
            except (ImportError, AssertionError):
                pass  # A module for another system.
json.dump(sorted(found), sys.stdout)
"""


def _parsed(pattern: str | bytes, flags: int = 0) -> Any:
    return re._parser.parse(pattern, flags)  # type: ignore[attr-defined]


def _within(code: Any, given: Any) -> Iterator[Any]:
    """Yield what a part of a pattern holds."""
    if code is _WORDS.BRANCH:
        yield from given[1]
    elif code is _WORDS.SUBPATTERN:
        yield given[3]
    elif code in (_WORDS.MAX_REPEAT, _WORDS.MIN_REPEAT, _WORDS.POSSESSIVE_REPEAT):
        yield given[2]
    elif code is _WORDS.ATOMIC_GROUP:
        yield given
    elif code in (_WORDS.ASSERT, _WORDS.ASSERT_NOT):
        yield given[1]
    elif code is _WORDS.GROUPREF_EXISTS:
        yield from (part for part in given[1:] if part)


def _fails_late(parts: Any) -> bool:
    return any(
        code in _MAY_FAIL_LATE or any(map(_fails_late, _within(code, given)))
        for code, given in parts
    )


def depends(parts: Any) -> bool:
    """Tell whether a parsed pattern holds characters that it may have to give back."""
    return any(
        (code in _HOLDS and any(map(_fails_late, _within(code, given))))
        or any(map(depends, _within(code, given)))
        for code, given in parts
    )


def test_patterns_compiled_by_any_module_hold_plain_characters_only() -> None:
    run = subprocess.run(
        [sys.executable, "-c", _COMPILED], capture_output=True, check=True, cwd=ROOT, timeout=120
    )
    found = json.loads(run.stdout)
    assert len(found) > 700
    wrong = [
        text
        for text, flags, is_bytes in found
        if depends(_parsed(text.encode("latin-1") if is_bytes else text, flags))
    ]
    assert wrong == []


def test_patterns_that_are_compiled_when_they_are_used_do_so_too() -> None:
    looked, wrong = 0, list[str]()
    for path in (path for folder in PRODUCT for path in (ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            text = node.value if isinstance(node, ast.Constant) else None
            if isinstance(text, str) and _SIGN.search(text):
                try:
                    parts = _parsed(text)
                except re.error:
                    continue  # Prose, or a piece of a pattern that is compiled as a whole.
                looked += 1
                wrong += [f"{path.relative_to(ROOT)}:{node.lineno}"] * depends(parts)
    assert looked > 20
    assert wrong == []


@pytest.mark.parametrize(
    ("pattern", "wrong"),
    [
        (r"(?:x|y(?!z))*+", True),
        (r"(?:ab?c)++", True),
        (r"(?>a*b|a)", True),
        (r"((?:a\b)*+|c)d", True),
        (r"(?=(?:x$)?+)", True),
        (r"[^x]*+(?!z)", False),
        (r"(?:[^\"\\]|\\.)*+", False),
        (r"(?:ab?c(?!d))*", False),
    ],
)
def test_what_may_have_to_be_given_back_is_recognised(pattern: str, wrong: bool) -> None:
    assert depends(_parsed(pattern)) is wrong
