"""Opens the room: Textual is loaded first, and then the room itself."""

from __future__ import annotations

import gc


def run(*, welcome: bool = False) -> str:
    """Show the room until its user leaves, and return `detach`, `quit` or `reload`.

    With `welcome` a newcomer is asked a few questions. After a reload the program starts anew
    from what is installed now.
    """
    # What is loaded stays: looking through it for garbage, again and again, takes a tenth of it.
    gc.disable()
    from nagomi_tui.view.app.opening import open_room
    from nagomi_tui.view.driver import starter

    gc.freeze()
    gc.enable()
    reason = open_room(welcome=welcome)
    if reason == "reload":
        starter.current.start_anew()
    return reason
