"""Where the key of a model comes from: a variable, or a command whose output nobody sees."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Protocol

import anyio

from nagomi_tui.agent.providers.interface import ModelFault
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from anyio.abc import Process

    from nagomi_tui.words import Words

NO_KEY: Final = "none"
"""What is sent to a server of one's own that asks for no key."""
COMMAND_SECONDS: Final = 60.0
"""A password store may have to ask its user first."""
_LIMIT: Final = 4096


class Key(Protocol):
    """Gives the key when a model is asked."""

    async def get(self) -> str:
        """Return it.

        Raises:
            ModelFault: it cannot be had.
        """

    def forget(self) -> None:
        """Get it anew the next time: the server did not accept it."""


class GivenKey:
    """A key that is known."""

    def __init__(self, key: str) -> None:
        self._key = key

    async def get(self) -> str:
        """Return it."""
        return self._key

    def forget(self) -> None:
        """Keep it: there is no other."""


class CommandKey:
    """The first line that a command prints; it runs when the key is first needed.

    `setting` is the one that names the command.
    """

    def __init__(
        self,
        command: str,
        environment: Mapping[str, str],
        words: Words,
        *,
        setting: str = "agent_key_command",
    ) -> None:
        self._command = command
        self._setting = setting
        self._environment = environment
        self._words = words
        self._key = ""
        self._turn = anyio.Lock()

    async def get(self) -> str:
        """Return it.

        Raises:
            ModelFault: the command fails, says nothing, or takes too long.
        """
        async with self._turn:
            self._key = self._key or await self._ask()
            return self._key

    def forget(self) -> None:
        """Run the command anew the next time."""
        self._key = ""

    async def _ask(self) -> str:
        try:
            with anyio.fail_after(COMMAND_SECONDS):
                output = await self._output()
        except TimeoutError as exc:
            raise self._fault("it took too long") from exc
        except OSError as exc:
            raise self._fault(str(exc.strerror)) from exc
        line, *_ = output.decode("utf-8", "replace").strip().splitlines() or [""]
        if not line.strip():
            raise self._fault("it printed nothing")
        return line.strip()

    async def _output(self) -> bytes:
        # A shell reads it, as it reads a line that the user types.
        process = await anyio.open_process(
            self._command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(self._environment),
            cwd="/" if sys.platform != "win32" else None,
            start_new_session=sys.platform != "win32",
        )
        try:
            output = await self._read(process)
            if status := await process.wait():
                raise self._fault(f"it ended with {status}")
            return output
        finally:
            _end(process)
            with anyio.CancelScope(shield=True), anyio.move_on_after(1):
                await process.aclose()

    async def _read(self, process: Process) -> bytes:
        assert process.stdout is not None
        output = b""
        async for piece in process.stdout:
            output += piece
            if len(output) > _LIMIT:
                raise self._fault("it printed too much for a key")
        return output

    def _fault(self, reason: str) -> ModelFault:
        sentence = self._words.gettext(
            translatable(
                "The command that prints the model's key gave none ({reason}). Look at "
                "`{setting}` in the settings."
            )
        )
        return ModelFault("key", sentence.format(reason=reason, setting=self._setting))


def _end(process: Process) -> None:
    """End the command and what it has started."""
    if sys.platform == "win32":
        if process.returncode is None:
            process.kill()
        return
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
