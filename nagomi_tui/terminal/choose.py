"""Opens the best engine that this machine has, and restores one from its snapshot."""

from __future__ import annotations

from nagomi_tui.terminal.engine import HISTORY_LINES, Engine, EngineError


def open_engine(
    cols: int, rows: int, *, prefer: str = "ghostty", history: int = HISTORY_LINES
) -> Engine:
    """Return a new engine; its `version` tells whether it is the preferred one."""
    if prefer == "ghostty":
        try:
            from nagomi_tui.terminal.ghostty.engine import GhosttyEngine

            return GhosttyEngine(cols, rows, history=history)
        except EngineError:
            pass
    from nagomi_tui.terminal.pyte.engine import PyteEngine

    return PyteEngine(cols, rows, history=history)


def restore_engine(
    version: str, data: bytes, cols: int, rows: int, *, history: int = HISTORY_LINES
) -> Engine:
    """Return the engine whose snapshot `data` is, at the size given.

    Raises:
        EngineError: the snapshot is of another release, or damaged; replay without it.
    """
    engine = _restored(version, data, history)
    if (engine.cols, engine.rows) != (cols, rows):
        engine.resize(cols, rows)
    return engine


def rewritten_engine(
    version: str, data: bytes, cols: int, rows: int, *, history: int = HISTORY_LINES
) -> Engine:
    """Return a pyte engine that shows what the snapshot of another engine shows.

    Raises:
        EngineError: the snapshot cannot be read.
    """
    from nagomi_tui.terminal.pyte.engine import PyteEngine

    source = restore_engine(version, data, cols, rows, history=history)
    try:
        return PyteEngine.like(source, history=history)
    finally:
        source.close()


def _restored(version: str, data: bytes, history: int) -> Engine:
    if version.startswith("pyte-"):
        from nagomi_tui.terminal.pyte.engine import PyteEngine

        return PyteEngine.restore(data, history=history)
    from nagomi_tui.terminal.ghostty.engine import GhosttyEngine
    from nagomi_tui.terminal.ghostty.native import load

    if version != load().version:
        raise EngineError(f"a snapshot of {version} cannot be read by {load().version}")
    return GhosttyEngine.restore(data, history=history)
