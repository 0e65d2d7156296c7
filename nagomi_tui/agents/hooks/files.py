"""Reads agents' files with hooks, replaces them atomically, and restores them exactly."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec

from nagomi_tui.agents.hooks import formats, mcp_servers
from nagomi_tui.agents.hooks.formats import Status, Unfit
from nagomi_tui.agents.hooks.json_text import Edit, apply
from nagomi_tui.agents.hooks.plan import HookSet
from nagomi_tui.system import files, paths
from nagomi_tui.system.decoding import from_json
from nagomi_tui.text.words import translatable

_NOTES: Final = "agent-hooks.json"


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """A planned change of one file; `before` and `after` are None where the file does not exist."""

    path: Path
    before: str | None
    after: str | None
    back: tuple[Edit, ...] = ()
    """The edits that turn `after` into the file without our hooks."""
    created: bool = False
    """Whether the file did not exist before our hooks."""
    form: str = "groups"
    """The form of the hooks in the file, as in `Content.form`."""
    runs: bool = False
    """Whether the file is a program, and is made executable."""

    @property
    def is_none(self) -> bool:
        """Whether the file stays as it is."""
        return self.before == self.after


class _Note(msgspec.Struct, frozen=True):
    """How to undo our change of a file, if nobody else has changed the file since."""

    digest: str
    created: bool
    back: tuple[Edit, ...]
    made: tuple[str, ...] = ()
    """Folders that were created for the file, the innermost first."""
    form: str = "groups"


def install(hooks: HookSet, *, project: bool) -> Change:
    """Return the change that puts our hooks into the file of `hooks`, one of the set's `parts`."""
    path = _resolved(hooks, project=project)
    before, content = _read(path), hooks.content
    if content.status(before or "") in ("installed", "foreign"):
        return Change(path=path, before=before, after=before)
    clean = _turned_back(path, before, content.form)
    after, back = content.put_into(clean or "")
    return Change(
        path=path,
        before=before,
        after=after,
        back=tuple(back),
        created=clean is None,
        form=content.form,
        runs=hooks.is_program,
    )


def remove(hooks: HookSet, *, project: bool) -> Change:
    """Return the change that takes our hooks out of the file."""
    return _removal(_resolved(hooks, project=project), hooks.form)


def left() -> list[Change]:
    """Return the changes that remove all of ours from the files noted by this workplace.

    The latest comes first, so that each file is found as its change has left it.
    """
    found = []
    for name, note in reversed(_notes().items()):
        with contextlib.suppress(Unfit):
            found.append(_removal(Path(name.partition("\n")[0]), note.form))
    return [change for change in found if not change.is_none]


def status(hooks: HookSet, *, project: bool) -> Status:
    """Return the status of the hooks in all files of the set; "outdated" if the files differ."""
    found = {
        part.content.status(_read(_resolved(part, project=project)) or "") for part in hooks.parts
    }
    return found.pop() if len(found) == 1 else "outdated"


def diff(change: Change) -> list[str]:
    """Return a change as a unified diff, line by line."""
    import difflib

    before, after = change.before or "", change.after or ""
    here, there = (
        str(change.path) if text is not None else "/dev/null"
        for text in (change.before, change.after)
    )
    texts = (before.splitlines(), after.splitlines(), here, there)
    return list(difflib.unified_diff(*texts, lineterm="", n=2))


def carry_out(change: Change) -> None:
    """Write or remove the file atomically, and note how to undo the change.

    Raises:
        Unfit: the file cannot be written, or was changed since the change was planned.
    """
    path = change.path
    if change.is_none:
        return
    if _read(path) != change.before:
        raise Unfit(
            translatable("{path} was changed in this moment by somebody else. Nothing was done.")
        )
    notes = _notes()
    note = notes.pop(_note_name(path, change.form), None)
    made = note.made if note else ()
    created = change.created or (note is not None and note.created)
    try:
        if change.after is None:
            path.unlink(missing_ok=True)
            _remove_empty(made)
            _bequeath(notes, tuple(folder for folder in made if os.path.isdir(folder)))
        else:
            made = (*_write(path, change.after.encode()), *made)
            if change.runs:
                path.chmod(path.stat().st_mode | 0o111)
    except OSError as exc:
        raise Unfit(
            translatable("{path} cannot be written: {reason}."), reason=exc.strerror or exc
        ) from exc
    if change.back and change.after is not None:
        notes[_note_name(path, change.form)] = _Note(
            _digest(change.after), created, change.back, made, change.form
        )
    with contextlib.suppress(OSError):
        paths.make_private(paths.state_folder())
        files.write(_notes_file(), msgspec.json.encode(notes))


def _removal(path: Path, form: str) -> Change:
    before = _read(path)
    return Change(path=path, before=before, after=_turned_back(path, before, form), form=form)


def _turned_back(path: Path, text: str | None, form: str) -> str | None:
    """Return the file as it was before our hooks, or, if it was edited since, without them."""
    note = _notes().get(_note_name(path, form))
    if text is None:
        return None
    if note and note.digest == _digest(text):
        return None if note.created else apply(text, note.back)[0]
    clean = _cleaned(text, form, note)
    return None if note and note.created and clean and not clean.strip("{} \r\n") else clean


def _cleaned(text: str, form: str, note: _Note | None) -> str | None:
    """Return a file that was edited since, without what is ours."""
    match form:
        case "file":
            formats.check_own_file(text)
            return None
        case "lines":
            return formats.without_lines(text)
        case "json_server":
            return mcp_servers.without_json(text)
        case "toml_server":
            return mcp_servers.without_toml(text)
        case "status_line":
            return formats.without_status_line(
                text, note.back[0].text if note and note.back else ""
            )
        case "guard":
            return formats.without_groups(text, formats.GUARD)
        case _:
            return formats.without_groups(text, formats.OURS)


def _note_name(path: Path, form: str) -> str:
    """Return the key of a file's note; the guard's parts of a file have notes of their own."""
    return f"{path}\n{form}" if form in ("guard", "status_line") else str(path)


def _resolved(hooks: HookSet, *, project: bool) -> Path:
    """Return the path with links resolved, so that a link, as of dotfiles, is not replaced.

    Raises:
        Unfit: the link leads nowhere.
    """
    path = hooks.path(project=project)
    real = Path(os.path.realpath(path))
    if path.is_symlink() and not real.exists():
        raise Unfit(translatable("{path} is a link that leads nowhere. Nothing was changed."))
    return real


def _read(path: Path) -> str | None:
    try:
        return files.read_text(path)
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as exc:
        raise Unfit(translatable("{path} is not UTF-8 text. Nothing was changed.")) from exc
    except OSError as exc:
        raise Unfit(
            translatable("{path} cannot be read: {reason}."), reason=exc.strerror or exc
        ) from exc


def _write(path: Path, data: bytes) -> tuple[str, ...]:
    """Write the file, and return the folders created for it, the innermost first."""
    missing = tuple(str(folder) for folder in path.parents if not folder.exists())
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        files.write(path, data)
    except BaseException:
        _remove_empty(missing)
        raise
    return missing


def _bequeath(notes: dict[str, _Note], folders: tuple[str, ...]) -> None:
    """Add folders that we created to the note of another file of ours that is still in them."""
    inside = (name for name in notes if folders and name.startswith(f"{folders[0]}{os.sep}"))
    if (name := next(inside, None)) is not None:
        note = notes[name]
        notes[name] = msgspec.structs.replace(note, made=(*note.made, *folders))


def _remove_empty(folders: Iterable[str]) -> None:
    """Remove folders that we created, up to the first one that is not empty."""
    with contextlib.suppress(OSError):
        for folder in folders:
            os.rmdir(folder)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _notes_file() -> Path:
    return paths.state_folder() / _NOTES


def _notes() -> dict[str, _Note]:
    try:
        return from_json(files.read(_notes_file()), dict[str, _Note])
    except (OSError, msgspec.DecodeError, RecursionError):
        return {}
