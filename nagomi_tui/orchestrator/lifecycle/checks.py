"""Checks what a session is to be started with; a `Refusal` says what is wrong."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from nagomi_tui.core.masking import REDACTED
from nagomi_tui.core.text.nearest_name import nearest_name
from nagomi_tui.orchestrator.runtime.refusal import Refusal
from nagomi_tui.orchestrator.terminals.size import COLS_LIMIT, ROWS_LIMIT
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from collections.abc import Collection

    from nagomi_tui.core.session.session import Session


def check_command(info: Session, given: str) -> None:
    """Refuse to run a command that is not known whole; a masked one is never run.

    Raises:
        Refusal: it must be given, or given whole.
    """
    if REDACTED in given:
        sentence = translatable(
            "The command still holds {mark}; put what belongs there in its place."
        )
        raise Refusal("bad_request", sentence, mark=REDACTED)
    if given:
        return
    if info.cmd_masked:
        sentence = translatable(
            "The command of {name} held a secret, which nagomi does not store. Give the command "
            "again: `nagomi restart {number} -- COMMAND`, or start it anew with `nagomi new`."
        )
        raise Refusal("refused", sentence, name=info.name, number=info.number)
    if not info.cmd:
        sentence = translatable("What {name} ran is not known; make a new session.")
        raise Refusal("refused", sentence, name=info.name)


def check_profile(name: str, known: Collection[str]) -> None:
    """Refuse the name of a profile that no file of rules has; `known` are those there are.

    Raises:
        Refusal: there is no such profile.
    """
    if name in known:
        return
    if near := nearest_name(name, known):
        sentence = translatable("There are no rules for an agent `{agent}`; did you mean `{near}`?")
        raise Refusal("bad_request", sentence, agent=name, near=near)
    sentence = translatable("There are no rules for an agent `{agent}`, only for {known}.")
    raise Refusal("bad_request", sentence, agent=name, known=", ".join(sorted(known)))


def check_size(cols: int, rows: int) -> None:
    """Refuse a size that no terminal has.

    Raises:
        Refusal: it is out of bounds.
    """
    if not (1 <= cols <= COLS_LIMIT and 1 <= rows <= ROWS_LIMIT):
        raise Refusal(
            "bad_request",
            translatable(
                "A session of {cols}×{rows} cells cannot be made; at most {most_cols}×{most_rows}."
            ),
            cols=cols,
            rows=rows,
            most_cols=COLS_LIMIT,
            most_rows=ROWS_LIMIT,
        )


def check_folder(cwd: str) -> None:
    """Refuse a folder in which nothing can be started.

    Raises:
        Refusal: it does not exist, is no folder, or may not be entered.
    """
    if "\0" in cwd or not os.path.isabs(cwd):
        raise Refusal(
            "bad_request",
            translatable("The folder {cwd} is not an absolute path."),
            cwd=cwd.replace("\0", "?"),
        )
    if not os.path.exists(cwd):
        raise Refusal("bad_request", translatable("The folder {cwd} does not exist."), cwd=cwd)
    if not os.path.isdir(cwd):
        raise Refusal("bad_request", translatable("{cwd} is not a folder."), cwd=cwd)
    if not os.access(cwd, os.X_OK):
        raise Refusal("bad_request", translatable("The folder {cwd} may not be entered."), cwd=cwd)
