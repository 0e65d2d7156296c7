"""Task groups beside a block."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from anyio.abc import TaskGroup


@asynccontextmanager
async def background() -> AsyncIterator[TaskGroup]:
    """Run tasks until the block ends, which cancels them.

    What the block raises is raised once they have ended, so that it comes as it is and in no group.
    """
    fault = None
    async with anyio.create_task_group() as tasks:
        try:
            yield tasks
        except Exception as exc:
            fault = exc
        tasks.cancel_scope.cancel()
    if fault is not None:
        raise fault
