"""Real git repositories for tests, asked apart from the code under test."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_AUTHOR = ("-c", "user.name=Test", "-c", "user.email=test@example.org")


def git(folder: Path, *arguments: str, author: bool = True) -> str:
    """Run git in a folder and return what it prints.

    Raises:
        subprocess.CalledProcessError: git failed.
    """
    return subprocess.run(
        ["git", *(_AUTHOR if author else ()), "-C", str(folder), *arguments],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"GIT_CONFIG_NOSYSTEM": "1"},
    ).stdout


def repository(folder: Path, **committed: str) -> Path:
    """Make a repository with these files committed; without any, HEAD is unborn."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main", "--template=")
    for name, text in committed.items():
        (folder / name).write_text(text)
        git(folder, "add", name)
    if committed:
        git(folder, "commit", "-q", "-m", "first")
    return folder


def hook(folder: Path, name: str, script: str) -> None:
    """Put a hook into the repository."""
    path = folder / ".git" / "hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
