"""Runs pytest where standard output is a console, and writes what it prints to a file: FILE WORDS…"""

from __future__ import annotations

import os
import sys

import pytest

file = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
os.dup2(file, 1)
os.dup2(file, 2)
# What the tests leave running must not keep this process.
code = pytest.main(sys.argv[2:])
sys.stdout.flush()
os._exit(code)
