"""The toast helper: shows what the lines on its stdin say, and tells which toast was clicked.

`{"id": 1, "show": TITLE, "body": TEXT, "key": SESSION}` is answered by `{"id": 1, "shown": true}`
or `{"id": 1, "failed": WHY}`; later `{"clicked": SESSION}` may follow. The first line is
`{"ready": …}`, or `{"unavailable": WHY}` where nobody shows toasts.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from html import escape
from typing import Any, Final

from nagomi_tui.alerts.back_ends import powershell
from nagomi_tui.alerts.sound_child import emit
from nagomi_tui.alerts.surroundings import windows_folder
from nagomi_tui.system.platforms import LINUX
from nagomi_tui.text.cells import printable

Show = Callable[[dict[str, Any]], Awaitable[None]]

_POWERSHELL_SECONDS: Final = 3.5
_POWERSHELL_ID: Final = (
    "{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\\WindowsPowerShell\\v1.0\\powershell.exe"
)
# Only Windows PowerShell 5.1 has these types; texts come as base64 so that nothing is quoted.
_POWERSHELL_SHOWS: Final = (
    "$m=[Windows.UI.Notifications.ToastNotificationManager,Windows.UI.Notifications,"
    "ContentType=WindowsRuntime];"
    "$u=[Text.Encoding]::UTF8;$t=$u.GetString([Convert]::FromBase64String([Console]::In.ReadLine()));"
    "$b=$u.GetString([Convert]::FromBase64String([Console]::In.ReadLine()));"
    "$x=$m::GetTemplateContent(1);$n=$x.GetElementsByTagName('text');"
    "[void]$n.Item(0).AppendChild($x.CreateTextNode($t));"
    "[void]$n.Item(1).AppendChild($x.CreateTextNode($b));"
    f"$m::CreateToastNotifier('{_POWERSHELL_ID}').Show("
    "[Windows.UI.Notifications.ToastNotification,Windows.UI.Notifications,"
    "ContentType=WindowsRuntime]::new($x))"
)


def run(backend: str) -> int:
    """Serve until stdin ends; return 3 where nobody shows toasts."""
    logging.disable()
    return asyncio.run(_serve(backend))


async def _serve(backend: str) -> int:
    try:
        show = await _desktop() if backend == "desktop" else _by_powershell
    except Exception as exc:
        emit(unavailable=f"{type(exc).__name__}: {exc}")
        return 3
    emit(ready=backend)
    loop = asyncio.get_running_loop()
    orders: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    def read() -> None:
        for line in sys.stdin:
            loop.call_soon_threadsafe(orders.put_nowait, json.loads(line))
        os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    while True:
        order = await orders.get()
        try:
            await show(order)
        except Exception as exc:
            emit(id=order["id"], failed=f"{type(exc).__name__}: {exc}")
        else:
            emit(id=order["id"], shown=True)


async def _desktop() -> Show:
    """Show by the desktop's own service; it raises where none answers."""
    from desktop_notifier import DesktopNotifier

    notifier = DesktopNotifier(app_name="nagomi", app_icon=None)
    # Sending hides that there is no bus and no daemon; this does not.
    if not await notifier.get_capabilities():
        raise RuntimeError("no service shows notifications here")

    has_markup = await _has_markup()
    last = ""

    async def show(order: dict[str, Any]) -> None:
        nonlocal last
        key = str(order.get("key", ""))
        body = printable(order.get("body", ""))
        if order.get("instead") and last:
            with suppress(Exception):  # it may be gone, or the service cannot
                await notifier.clear(last)
        last = await notifier.send(
            title=printable(order["show"]),
            message=escape(body, quote=False) if has_markup else body,
            on_clicked=lambda: emit(clicked=key),
        )

    return show


async def _has_markup() -> bool:
    """Tell whether the desktop's service takes bodies for markup; elsewhere than on D-Bus none does."""
    if not LINUX:
        return False
    from dbus_fast import Message
    from dbus_fast.aio import MessageBus

    name, path = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
    bus = await MessageBus().connect()
    try:
        asked = Message(destination=name, path=path, interface=name, member="GetCapabilities")
        answer = await bus.call(asked)
    finally:
        bus.disconnect()
    return answer is not None and "body-markup" in answer.body[0]


async def _by_powershell(order: dict[str, Any]) -> None:
    lines = (printable(order["show"]), printable(order.get("body", "")))
    data = b"".join(base64.b64encode(text.encode()) + b"\n" for text in lines)
    await asyncio.to_thread(
        subprocess.run,
        powershell(_POWERSHELL_SHOWS),
        input=data,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=_POWERSHELL_SECONDS,
        check=True,
        cwd=windows_folder(),
    )
