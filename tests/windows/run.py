"""Runs pytest on a console, and writes what it prints to a file: FILE WORDS…

Its own standard handles stay those of the console, which what it starts in a terminal needs under wine.
"""

from __future__ import annotations

import os
import sys

import pytest

with open(sys.argv[1], "w", encoding="utf-8") as sys.stdout:
    sys.stderr = sys.stdout
    code = pytest.main(sys.argv[2:])
# What the tests leave running must not keep this process.
os._exit(code)
