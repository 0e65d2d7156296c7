"""Commands that agents know in their own prompt.

Those of Claude Code (2.1.197 and 2.1.330), Gemini CLI (0.61.0) and Qwen Code (0.24.4) were read out of the
programs, the others out of their documentation.
"""

from __future__ import annotations

from typing import Final

_NAMES: Final = {
    "claude": (
        "add-dir agents background branch chrome clear color compact config context copy cost "
        "diff doctor effort exit export fast feedback focus fork goal help hooks ide init "
        "insights install-github-app keybindings login logout mcp memory model permissions plan "
        "plugin recap release-notes reload-plugins reload-skills remote-control rename resume "
        "review rewind security-review skills status statusline tasks terminal-setup theme "
        "upgrade usage voice workflows"
    ),
    "codex": (
        "approvals compact diff exit init logout mcp mention model new quit resume review status"
    ),
    "gemini": (
        "about agents auth bug chat clear commands compress copy directory docs editor extensions "
        "help hooks ide init mcp memory model permissions plan policies privacy quit restore "
        "resume rewind settings setup-github shortcuts skills stats tasks terminal-setup theme "
        "tools upgrade vim"
    ),
    "qwen": (
        "agents approval-mode auth btw bug clear compress context copy diff directory docs doctor "
        "editor export extensions help hooks ide init insight language mcp memory model "
        "permissions plan quit recap remember rename restore resume rewind settings setup-github "
        "skills stats status statusline summary tasks terminal-setup theme tools trust vim"
    ),
    "opencode": (
        "compact details editor exit export help init models new redo sessions share themes undo "
        "unshare"
    ),
    "aider": (
        "add architect ask clear code commit copy diff drop editor exit git help lint load ls map "
        "model models paste quit read-only reset run save settings test tokens undo voice web"
    ),
}
COMMANDS: Final = {agent: tuple(names.split()) for agent, names in _NAMES.items()}
"""Names without the slash, by agent; what an agent does not know it says itself."""

FOLDERS: Final = {
    "claude": (".claude/commands", ".claude/skills"),
}
"""Folders of commands of the user's own, below the project and the user's home."""
