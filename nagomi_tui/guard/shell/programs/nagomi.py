"""Our own commands, and those of the guard whose files we read."""

from __future__ import annotations

from typing import Final

from nagomi_tui.guard.shell.options import Options
from nagomi_tui.guard.shell.programs.subcommands import Tool, checks, plain

_NONE: Final = Options(most=0, only="--json")
CHECKS: Final = checks(
    {
        "sessions": Tool(
            plain(
                "state, state show, status, version, todos, flags, mode, config show, tasks idx list, "
                "config phrases list, config read list, config write list, config tools list",
                _NONE,
            )
            | {"state show": Options(most=1, only="--json")}
        ),
        "nagomi": Tool(
            plain("ls, guard state, guard todos, guard config, guard flags, guard tasks", _NONE)
            | plain("guard classify", _NONE)
            | plain("why, help", Options(most=1, only="--json"))
        ),
    }
)
