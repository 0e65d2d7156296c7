"""The settings file; a broken one is an error, and never replaced by weaker defaults."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import msgspec

from nagomi_tui.guard.decide.documents import Config, migrated, plain, typed
from nagomi_tui.guard.files import documents
from nagomi_tui.guard.files.project import Project
from nagomi_tui.guard.files.state import sealed_again
from nagomi_tui.system import files


class EditingConfig:
    """Settings being edited; their value when the block ends is saved."""

    def __init__(self, config: Config) -> None:
        self.config = config


def read_config(project: Project) -> Config:
    """Return the settings; the defaults if there is no file.

    Raises:
        Broken: the file does not hold settings. It stays in place, so that everything is denied
            until the user repairs it.
        OSError: the file cannot be read.
    """
    try:
        data = files.read(project.config_file)
    except FileNotFoundError:
        return Config()
    try:
        return typed(migrated(documents.decoded(project.config_file, data)), Config)
    except msgspec.ValidationError as exc:
        raise documents.Broken(f"{project.config_file} is not as it should be: {exc}") from exc


@contextlib.contextmanager
def edit_config(project: Project) -> Iterator[EditingConfig]:
    """Lock and load the settings, and save them when the block ends; a broken file is moved aside.

    Raises:
        Busy: another process holds the lock.
        OSError: a file cannot be read or written.
    """
    project.sessions.mkdir(parents=True, exist_ok=True)
    with documents.held(project.lock_file):
        editing = EditingConfig(_loaded_or_new(project))
        yield editing
        seal_again = sealed_again(project)
        documents.write(project.config_file, documents.encoded(plain(editing.config)))
        seal_again()


def _loaded_or_new(project: Project) -> Config:
    try:
        return read_config(project)
    except documents.Broken:
        documents.put_aside(project.config_file)
        return Config()
