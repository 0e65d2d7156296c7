"""Folders where sessions work: each is asked for once before the agent reads there.

A yes may be remembered, for all conversations; what is remembered is listed and taken back by
`/folder`. Files that hold secrets are asked for each time, wherever they are.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Final

import anyio.to_thread
import msgspec

from nagomi_tui.agent.providers.interface import ToolCall
from nagomi_tui.agent.talk.events import Choice, Question
from nagomi_tui.agent.tools.granted import Granted, HoldsSecrets, Outside
from nagomi_tui.agent.tools.interface import ToolFault, Workplace
from nagomi_tui.sessions.session import LOCAL, Session
from nagomi_tui.system import files
from nagomi_tui.system.decoding import from_json
from nagomi_tui.text.cells import visible
from nagomi_tui.text.words import Said, Words, translatable

_log = logging.getLogger(__name__)
FOLDERS_FILE: Final = "agent-folders.json"
"""The name of the file with the remembered folders, in the state folder."""


class _Kept(msgspec.Struct, frozen=True):
    folders: tuple[str, ...] = ()


class Folders:
    """The folders that the user has granted for good, in a file that is read at each use."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def all(self) -> tuple[Path, ...]:
        """Return them in the order in which they were granted; none if the file is unreadable."""
        try:
            return tuple(map(Path, from_json(files.read(self._path), _Kept).folders))
        except FileNotFoundError:
            return ()
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as exc:
            _log.warning("no folder counts as granted: %s: %s", self._path, exc)
            return ()

    def add(self, folder: Path) -> None:
        """Remember a folder.

        Raises:
            OSError: it cannot be written.
        """
        self._write((*(one for one in self.all() if one != folder), folder))

    def remove(self, folder: Path) -> None:
        """Forget a folder.

        Raises:
            OSError: it cannot be written.
        """
        self._write(tuple(one for one in self.all() if one != folder))

    def _write(self, folders: tuple[Path, ...]) -> None:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        files.write(self._path, msgspec.json.encode(_Kept(tuple(map(str, folders)))))


_READS: Final = translatable("Read in {folder}, where {number} {name} works?")
_WHAT: Final = (
    translatable("Files there and below, git log and git diff. Nothing is written there."),
    translatable("Files that may hold secrets are asked for each time, and masked."),
)
_ASKED_FOR: Final = translatable("Asked for now: {path}")
_REMEMBERED: Final = translatable("remembered, until `/folder off`")
_READS_SECRETS: Final = translatable("Read {path}, which may hold secrets?")
_NO_FOLDER: Final = translatable("There is no folder {folder}.")
_TOO_WIDE: Final = translatable("{folder} holds far more than a project; name one below it.")
_DECLINED: Final = translatable("The user said no; nothing there is read. Go on without it.")


@dataclass(eq=False)
class FolderConsent:
    """Asks the user before the agent reads where it may not yet, in one conversation."""

    granted: Granted
    folders: Folders
    workplace: Workplace
    words: Words
    ask_user: Callable[[Question], Awaitable[Choice]]

    def listed(self) -> tuple[tuple[Path, bool], ...]:
        """Return the folders that may be read, and whether each is remembered."""
        kept = self.folders.all()
        return tuple((one, one in kept) for one in self.granted.readable)

    def add(self, folder: Path) -> None:
        """Let the agent read in a folder from now on, as the user says.

        Raises:
            ToolFault: there is no such folder, or it is far too wide.
            OSError: it cannot be remembered.
        """
        folder = Path(os.path.realpath(folder))
        if not folder.is_dir():
            raise ToolFault(Said(_NO_FOLDER, {"folder": folder}))
        if is_too_wide(folder):
            raise ToolFault(Said(_TOO_WIDE, {"folder": folder}))
        self.folders.add(folder)

    def remove(self, folder: Path) -> None:
        """Take a folder back.

        Raises:
            OSError: that cannot be stored.
        """
        self.folders.remove(folder)
        self.granted.disallow(folder)

    async def settle(self, fault: ToolFault, call: ToolCall) -> None:
        """Return if the user grants what a tool was refused, so that it can be tried again.

        Raises:
            ToolFault: the user does not, or it cannot be granted here.
        """
        if isinstance(fault, HoldsSecrets):
            await self._secret(fault.path, call)
        elif isinstance(fault, Outside):
            await self._folder(fault, call)
        else:
            raise fault

    async def _secret(self, path: Path, call: ToolCall) -> None:
        title = self.words.say(_READS_SECRETS, path=visible(str(path)))
        if await self.ask_user(Question(call.id, call.name, title, risk="high")) == "no":
            raise ToolFault(Said(_DECLINED, {}))
        self.granted.allow_secret(path)

    async def _folder(self, fault: Outside, call: ToolCall) -> None:
        sessions = await self.workplace.list_sessions()
        offered = next(filter(None, (_offer(one, fault.path) for one in sessions)), None)
        if offered is None:
            raise fault
        folder, session = offered
        say = self.words
        lines = [*map(say.gettext, _WHAT), say.say(_ASKED_FOR, path=visible(str(fault.path)))]
        choice = await self.ask_user(
            Question(
                call.id,
                call.name,
                say.say(
                    _READS, folder=visible(str(folder)), number=session.number, name=session.name
                ),
                "\n".join(lines),
                scope=say.gettext(_REMEMBERED),
            )
        )
        if choice == "no":
            raise ToolFault(Said(_DECLINED, {}))
        if choice == "conversation":
            await anyio.to_thread.run_sync(self.folders.add, folder)
        self.granted.allow(folder)


def _offer(session: Session, path: Path) -> tuple[Path, Session] | None:
    """Return the folder to ask for where a session works above a path: its repository, if in one."""
    if session.worker_id != LOCAL or not session.cwd:
        return None
    cwd = Path(os.path.realpath(session.cwd))
    folder = next((one for one in (cwd, *cwd.parents) if (one / ".git").exists()), cwd)
    if is_too_wide(folder):
        folder = cwd
    if is_too_wide(folder) or not folder.is_dir() or not path.is_relative_to(folder):
        return None
    return folder, session


def is_too_wide(folder: Path) -> bool:
    """Tell whether a folder holds far more than a project: a home folder, or what is above it."""
    home = Path(os.path.realpath(Path.home()))
    return folder == home or folder in home.parents or len(folder.parts) < _LEAST_PARTS


_LEAST_PARTS: Final = 3
"""Folders with fewer parts are the system's, such as `/etc` or `/usr`."""

_SECRET_FILE: Final = re.compile(
    r"\.env(?:\..*|rc)?|.*\.env|.*\.(?:pem|key|p12|pfx|jks|keystore|kdbx?|asc|gpg|age|ppk|ovpn|tfvars|tfstate)"
    r"|id_(?:rsa|dsa|ecdsa|ed25519)\w*|\.?(?:netrc|npmrc|pypirc|pgpass|my\.cnf|htpasswd|git-credentials|vault-token)"
    r"|credentials?(?:\..*)?|.*secrets?(?:\..*)?|.*passwords?(?:\..*)?|kubeconfig.*|service[-_]account.*\.json"
    r"|master\.key|authorized_keys|known_hosts|shadow|\.?\w*_history|auth\.json|tokens?(?:\.\w+)?",
    re.IGNORECASE,
)
_SECRET_FOLDERS: Final = frozenset(
    [".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store", ".gcloud", "gcloud"]
)
_SAMPLE: Final = re.compile(r".*\.(?:example|sample|template|dist)|.*\.pub", re.IGNORECASE)


def may_hold_secrets(path: PurePath) -> bool:
    """Tell by its name whether a file is one that usually holds keys or passwords."""
    if any(part.lower() in _SECRET_FOLDERS for part in path.parts[:-1]):
        return True
    return bool(_SECRET_FILE.fullmatch(path.name)) and not _SAMPLE.fullmatch(path.name)


SECRET_GLOBS: Final = (
    ".env", ".env.*", "*.env", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.tfvars",
    "*.tfstate", "id_rsa*", "id_ed25519*", "id_ecdsa*", "id_dsa*", ".netrc", ".npmrc", ".pypirc",
    ".pgpass", ".htpasswd", ".git-credentials", "*credentials*", "*secret*", "*password*",
    "kubeconfig*", "service-account*.json", "service_account*.json", "auth.json", "token.*",
)  # fmt: skip
"""What git leaves out of differences, as names of files."""
