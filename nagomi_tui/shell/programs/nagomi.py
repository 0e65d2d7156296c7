"""nagomi's own commands, and those of cc-sessions, whose files the guard reads."""

from __future__ import annotations

from typing import Final

from nagomi_tui.shell.options import Options, Tool, checks, plain

_NONE: Final = Options("--json", most=0)
_ONE: Final = Options("--json", most=1)
_PARTS: Final = ("phrases", "git", "env", "features", "read", "write", "paths", "readers", "tools")
_SHOW: Final = ("show", "list")
CHECKS: Final = checks(
    {
        "sessions": Tool(
            plain(
                "state, state show, status, version, todos, flags, mode, config show, tasks idx list, "
                "config phrases list, config read list, config write list, config tools list",
                _NONE,
            )
            | {"state show": _ONE}
        ),
        "nagomi": Tool(
            plain(
                "ls, todos, todos show, guard mode, guard todos, guard todos show, guard flags",
                _NONE,
            )
            | plain(
                "guard tasks, guard tasks show, guard protocol, guard version, guard classify",
                _NONE,
            )
            | plain("guard config, guard config show, guard config validate", _NONE)
            | plain(", ".join(f"guard config {part}" for part in _PARTS), _NONE)
            | plain(
                ", ".join(f"guard config {part} {verb}" for part in _PARTS for verb in _SHOW), _NONE
            )
            | plain("why, help, guard state, guard state show, guard tasks idx", _ONE)
            | plain("guard config phrases list, guard kickstart subagents", _ONE)
            | plain("guard tasks list", Options("--json --all", most=0))
        ),
    }
)
