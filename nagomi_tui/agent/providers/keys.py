"""A model's API key, from an environment variable or the hidden output of a command."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from typing import Final

import anyio
from anyio.abc import Process

from nagomi_tui.agent.providers.interface import ModelFault
from nagomi_tui.system.children import NOWHERE, OWN_GROUP, end_group
from nagomi_tui.text.words import Words, translatable

NO_KEY: Final = "none"
"""Sent as the key to the user's own server, which needs none."""
COMMAND_SECONDS: Final = 60.0
"""How long the command may take, as a password store may first have to ask the user."""
_LIMIT: Final = 4096


class Key:
    """A key from the environment, or `NO_KEY`."""

    def __init__(self, key: str = NO_KEY) -> None:
        self._key = key

    async def get(self) -> str:
        """Return the key.

        Raises:
            ModelFault: there is no key.
        """
        return self._key

    def forget(self) -> None:
        """Fetch the key again on the next `get` if it can be another: the server did not accept it."""


class CommandKey(Key):
    """A key that is the first line a command prints; the command runs when the key is first needed.

    `setting` is the name of the setting with the command, for messages.
    """

    def __init__(
        self,
        command: str,
        environment: Mapping[str, str],
        words: Words,
        *,
        setting: str = "agent_key_command",
    ) -> None:
        super().__init__("")
        self._command = command
        self._setting = setting
        self._environment = environment
        self._words = words
        self._turn = anyio.Lock()

    async def get(self) -> str:
        async with self._turn:
            self._key = self._key or await self._ask()
            return self._key

    def forget(self) -> None:
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
        # The setting is a shell command line.
        process = await anyio.open_process(
            self._command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(self._environment),
            cwd=NOWHERE,
            **OWN_GROUP,
        )
        try:
            output = await self._read(process)
            if status := await process.wait():
                raise self._fault(f"it ended with {status}")
            return output
        finally:
            end_group(process)
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
