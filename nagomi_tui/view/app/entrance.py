"""Loads Textual and then the application, and runs it."""

from __future__ import annotations

from nagomi_tui.system import loading


def run(*, welcome: bool = False, session: str = "") -> str:
    """Run the application until its user leaves, and return `detach`, `quit` or `reload`.

    With `welcome` a newcomer is asked a few questions; the session with the id `session` is in front,
    if that is given. After a reload the program starts anew
    from what is installed now.
    """
    with loading.kept():
        from nagomi_tui.view.app.application import run_app
        from nagomi_tui.view.driver import starter
    reason = run_app(welcome=welcome, session=session)
    if reason == "reload":
        starter.current.start_anew()
    return reason
