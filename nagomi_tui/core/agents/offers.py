"""Commands that agents know in their own prompt, as their documentation lists them."""

from __future__ import annotations

from typing import Final

_NAMES: Final = {
    "claude": (
        "add-dir agents clear compact config context cost doctor exit export help hooks ide init "
        "login logout mcp memory model output-style permissions resume review rewind "
        "security-review status statusline usage vim"
    ),
    "codex": (
        "approvals compact diff exit init logout mcp mention model new quit resume review status"
    ),
    "gemini": (
        "about auth bug chat clear compress copy directory editor extensions help init mcp memory "
        "privacy quit restore settings stats theme tools vim"
    ),
    "qwen": (
        "about approval-mode auth bug chat clear compress copy directory editor extensions help "
        "init mcp memory model quit restore settings stats summary theme tools vim"
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
