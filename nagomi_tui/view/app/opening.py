"""Builds the application from what is installed and what the user has set, and runs it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from nagomi_tui import folders, paths
from nagomi_tui.api.messages import hello
from nagomi_tui.api.text import env_of_text
from nagomi_tui.view.app.application import NagomiApp
from nagomi_tui.view.app.keeper import Keeper, terminal_of
from nagomi_tui.view.character.library import library
from nagomi_tui.view.common import textual_private
from nagomi_tui.view.common.translate import use_language
from nagomi_tui.view.connection.link import Link
from nagomi_tui.view.driver.keyboard import DRIVER
from nagomi_tui.view.keymap import bindings
from nagomi_tui.words import language_from

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.driver import Driver


def run_app(
    env: Mapping[str, str] = os.environ, *, welcome: bool = False, session: str = ""
) -> str:
    """Run the application with a session in front; return why it ended: `detach`, `quit` or `reload`."""
    use_language(language_from(env))
    link = Link(hello(env_of_text(env), front_end=True))
    app = make_app(link, env=env, driver_class=DRIVER, welcome=welcome)
    app.parts.state.focused = session
    app.parts.memory.keeper = Keeper(paths.front_ends_folder(), terminal_of(env))
    app.parts.memory.asked = session
    try:
        return app.run() or "detach"
    finally:
        app.parts.memory.leave()
        link.stop()


def make_app(
    link: Link,
    *,
    env: Mapping[str, str],
    driver_class: type[Driver] | None = None,
    welcome: bool = False,
) -> NagomiApp:
    """Return the application with the user's keys and characters; it tells what is broken."""
    textual_private.keep_layouts_apart()
    textual_private.keep_wide_characters_whole()
    textual_private.break_lines_as_japanese()
    textual_private.draw_nothing_within_a_batch()
    textual_private.share_parsed_css()
    keys = bindings.load(paths.config_folder() / "keymap.toml")
    return NagomiApp(
        link,
        keys=keys,
        library=library(),
        env=env,
        folder=folders.here(),
        driver_class=driver_class,
        newcomer=welcome,
    )
