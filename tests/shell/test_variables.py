"""Names that a command may set: those of scripts, and none that a shell takes for itself."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from nagomi_tui.shell.classifier import classify
from nagomi_tui.shell.variables import changes_programs, fills

MODULES = """
for one in zsh/parameter zsh/mapfile zsh/langinfo zsh/datetime zsh/system zsh/termcap zsh/terminfo zsh/sched zsh/watch \\
  zsh/complist zsh/zle zsh/zleparameter zsh/param/private zsh/zftp zsh/zutil zsh/pcre zsh/stat zsh/curses zsh/db/gdbm \\
  zsh/mathfunc zsh/nearcolor zsh/regex zsh/files zsh/net/tcp zsh/computil zsh/compctl zsh/random zsh/ksh93; do
  zmodload $one 2>/dev/null
done
print -l ${(k)parameters}
"""
HARMLESS = {"HOST", "LANG", "TERM", "one"}
"""What says where one is and how it looks; and the name that the loop sets."""


@pytest.mark.requirement("DC-30")
@pytest.mark.parametrize(
    ("shell", "options", "script"), [("zsh", ["-fc"], MODULES), ("bash", ["-c"], "compgen -v")]
)
def test_no_name_of_a_shell_s_own_may_be_set(shell: str, options: list[str], script: str) -> None:
    """The shell is asked with nothing in its environment, so that all it knows is its own."""
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"no {shell} here")
    done = subprocess.run(
        [program, *options, script], env={}, capture_output=True, text=True, check=False
    )
    names = {name for name in done.stdout.split() if name.isidentifier()}
    assert len(names) > 20
    assert {name for name in names if not (changes_programs(name, None) or fills(name))} <= HARMLESS


@pytest.mark.requirement("DC-30")
@pytest.mark.parametrize(
    ("shell", "script"),
    [("zsh", "print -l $reswords ${(k)reswords}"), ("bash", "compgen -k"), ("ksh", "builtin -s")],
)
def test_no_function_has_the_name_of_what_a_shell_takes_first(shell: str, script: str) -> None:
    if (program := shutil.which(shell)) is None:
        pytest.skip(f"no {shell} here")
    done = subprocess.run([program, "-c", script], capture_output=True, text=True, check=False)
    names = [name for name in done.stdout.split() if name != "''"]
    assert len(names) > 10
    told = [(name, classify(f"{name}() {{ ls; }}; ls").verdict) for name in names]
    assert [name for name, verdict in told if verdict == "read"] == []


@pytest.mark.requirement("DC-30")
@pytest.mark.parametrize(
    "name",
    [
        "f",
        "file",
        "my_file",
        "_tmp",
        "baseUrl",
        "i2",
        "FILE",
        "MAX_SIZE",
        "SRC_DIR",
        "py_files",
        "latestTag",
        "commit_hashes",
        "n2",
    ],
)
def test_names_as_scripts_write_them_may_be_set(name: str) -> None:
    assert classify(f"{name}=x; echo ${name}").verdict == "read"


@pytest.mark.requirement("DC-30")
@pytest.mark.parametrize(
    "name",
    [
        "Path",
        "http_proxy",
        "fignore",
        "ENV",
        "UNHEARD_OF",
        "Foo",
        "__CF_USER",
        "zle_highlight",
        "rvm_path",
        "nixpkgs",
        "gdk_scale",
        "configureFlags",
        "unheard_of",
    ],
)
def test_others_may_not(name: str) -> None:
    assert classify(f"{name}=x; ls").verdict == "write"
