"""A desktop for tests: a real session bus, and on it a small service that shows notifications."""

from __future__ import annotations

import shutil
import subprocess
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
from dbus_fast import Message, MessageType
from dbus_fast.aio import MessageBus

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

_CONFIG = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path={path}</listen>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
<allow own="*"/></policy></busconfig>
"""


_FACE = "org.freedesktop.Notifications"
_PATH = "/org/freedesktop/Notifications"
_TOLD = f"""<node><interface name="{_FACE}">
<method name="Notify"><arg type="s" direction="in"/><arg type="u" direction="in"/>
<arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="s" direction="in"/>
<arg type="as" direction="in"/><arg type="a{{sv}}" direction="in"/><arg type="i" direction="in"/>
<arg type="u" direction="out"/></method>
<method name="CloseNotification"><arg type="u" direction="in"/></method>
<method name="GetCapabilities"><arg type="as" direction="out"/></method>
<method name="GetServerInformation"><arg type="s" direction="out"/><arg type="s" direction="out"/>
<arg type="s" direction="out"/><arg type="s" direction="out"/></method>
<signal name="ActionInvoked"><arg type="u"/><arg type="s"/></signal>
<signal name="NotificationClosed"><arg type="u"/><arg type="u"/></signal>
</interface></node>"""


class Desktop:
    """The service: keeps what it is to show, and clicks on it."""

    def __init__(self, bus: MessageBus, env: dict[str, str], *capabilities: str) -> None:
        self.shown: list[tuple[str, str]] = []
        """Titles and bodies."""
        self.closed: list[int] = []
        """Which of them were taken away, counted from 1."""
        self.env = env
        self._bus = bus
        self._capabilities = ["body", "actions", *capabilities]
        bus.add_message_handler(self._asked)

    def _asked(self, message: Message) -> Message | bool:
        if message.message_type is not MessageType.METHOD_CALL or message.path != _PATH:
            return False
        if message.member == "Notify":
            self.shown.append((message.body[3], message.body[4]))
            return Message.new_method_return(message, "u", [len(self.shown)])
        if message.member == "CloseNotification":
            self.closed.append(message.body[0])
            return Message.new_method_return(message)
        if message.member == "GetServerInformation":
            return Message.new_method_return(message, "ssss", ["tests", "nagomi", "1", "1.2"])
        if message.member == "GetCapabilities":
            return Message.new_method_return(message, "as", [self._capabilities])
        return Message.new_method_return(message, "s", [_TOLD])

    async def click(self) -> None:
        """Click what was shown last."""
        body = [len(self.shown), "default"]
        await self._bus.send(Message.new_signal(_PATH, _FACE, "ActionInvoked", "us", body))


@asynccontextmanager
async def bus(folder: Path) -> AsyncIterator[dict[str, str]]:
    """Run a session bus; give the environment of somebody who sits before it."""
    daemon = shutil.which("dbus-daemon")
    if daemon is None:
        pytest.skip("there is no dbus-daemon on this machine")
    socket = folder / "bus"
    (folder / "bus.conf").write_text(_CONFIG.format(path=socket))
    process = subprocess.Popen(
        [daemon, f"--config-file={folder / 'bus.conf'}", "--nofork", "--print-address=1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().decode().strip()
        yield {"DBUS_SESSION_BUS_ADDRESS": address, "HOME": str(folder)}
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


@asynccontextmanager
async def desktop(folder: Path, *capabilities: str) -> AsyncIterator[Desktop]:
    """Run a bus with a desktop on it, which can do these things besides."""
    async with bus(folder) as env:
        connection = await MessageBus(bus_address=env["DBUS_SESSION_BUS_ADDRESS"]).connect()
        await connection.request_name(_FACE)
        try:
            yield Desktop(connection, env, *capabilities)
        finally:
            connection.disconnect()
