from collections.abc import Callable, Sequence
from io import BufferedRWPair

class PtyProcess:
    pid: int
    fd: int
    closed: bool
    fileobj: BufferedRWPair
    def __init__(self, pid: int, fd: int) -> None: ...
    @classmethod
    def spawn(
        cls,
        argv: list[str],
        cwd: str | None = ...,
        env: dict[str, str] | None = ...,
        echo: bool = ...,
        preexec_fn: Callable[[], None] | None = ...,
        dimensions: tuple[int, int] = ...,
        pass_fds: Sequence[int] = ...,
    ) -> PtyProcess: ...
