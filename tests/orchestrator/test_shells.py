"""Shells in sessions begin with our integration, unless the setting says no."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.api import messages
from tests.helpers.workplace import PATIENCE, create, session, text_of, until

if TYPE_CHECKING:
    from pathlib import Path

    from tests.helpers.workplace import Place


def test_the_setting_decides(shared_place: Place, tmp_path: Path) -> None:
    (tmp_path / ".bashrc").write_text("PS1='ready> '\n")
    shown = []
    with shared_place.connect() as connection:
        for wanted in (True, False):
            order = messages.Settings(id=0, values={"shell_integration": wanted})
            connection.request(order, timeout=PATIENCE)
            made = create(connection, "bash", env={"HOME": str(tmp_path)})
            assert session(connection, made)["cmd"] == "bash"
            until(lambda made=made: "ready>" in text_of(connection, made))
            line = "type -t __nagomi_before || echo 'not'"
            order = messages.Send(id=0, session=made, text=line)
            connection.request(order, timeout=PATIENCE)
            until(lambda made=made: text_of(connection, made).count("ready>") == 2)
            shown.append(text_of(connection, made).splitlines()[1])
            if wanted:
                for line, phase in (("false", "error"), ("true", "success")):
                    order = messages.Send(id=0, session=made, text=line)
                    connection.request(order, timeout=PATIENCE)
                    until(
                        lambda made=made, phase=phase: session(connection, made)["phase"] == phase
                    )
    assert shown == ["function", "not"]
