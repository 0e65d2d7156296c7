"""`/export FILE`: writes the conversation from the user's own process, not from the agent's.

Therefore a relative path begins in the folder where the user started `nagomi chat`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from nagomi_tui import files
from nagomi_tui.agent.talk.events import Reply

if TYPE_CHECKING:
    from nagomi_tui.agent.talk.interface import Talk
    from nagomi_tui.words import Words


async def exported(talk: Talk, line: str, words: Words) -> Reply:
    """Carry out a slash command; `/export FILE` writes to that file, but never overwrites one."""
    name, *rest = line.split(maxsplit=1)
    if name.casefold() != "/export" or not rest:
        return await talk.command(line)
    reply = await talk.command("/export")
    text = "\n".join((*reply.lines, ""))
    return await anyio.to_thread.run_sync(_written, Path(rest[0].strip()), text, words)


def _written(named: Path, text: str, words: Words) -> Reply:
    path = named.expanduser()
    if path.exists():
        refused = words.say("{path} is there already; choose another name.", path=path)
        return Reply(lines=(refused,), failed=True)
    try:
        files.write(path, text.encode())
    except OSError as exc:
        reason = exc.strerror or str(exc)
        refused = words.say("{path} cannot be written: {reason}.", path=path, reason=reason)
        return Reply(lines=(refused,), failed=True)
    return Reply(lines=(words.say("Written: {path}", path=path),))
