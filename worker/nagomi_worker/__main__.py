"""The `nagomi-worker` command: reads its options, and runs the worker or a bridge to one."""

from __future__ import annotations

import argparse
import logging
import os
import re
import selectors
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from nagomi_worker.pty.host import host
from nagomi_worker.resident import LockedListener, Taken
from nagomi_worker.runtime.limits import Limits
from nagomi_worker.runtime.loop import Loop
from nagomi_worker.server import Server
from nagomi_worker.wire.peer import PipeStream, SocketStream, Stream
from nagomi_worker.wire.transport import NoWorker

PROGRAM: Final = (sys.executable, "-m", "nagomi_worker")


def main(arguments: list[str] | None = None, *, program: Sequence[str] = PROGRAM) -> int:
    """Run the worker; return its exit code. `program` are the words that start another one."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if not options.stdio and options.socket is None:
        parser.error("say --stdio or --socket PATH")
    fd_in, fd_out = _take_stdio()
    _log_to(options.log)
    try:
        if options.stdio and (options.resident or options.socket):
            _carry(options.socket, options.workplace, fd_in, fd_out, program)
        elif options.stdio:
            _serve_stdio(fd_in, fd_out)
        else:
            _serve_socket(options.socket, Limits(idle_seconds=options.idle))
    except (Taken, NoWorker, OSError) as exc:
        sys.stderr.write(f"nagomi-worker: {exc}\n")
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="nagomi-worker", description="Hold terminals and what runs on them, for nagomi."
    )
    parser.add_argument("--stdio", action="store_true", help="speak on stdin and stdout")
    parser.add_argument(
        "--socket",
        type=lambda path: Path(path).absolute(),
        metavar="PATH",
        help="stay, and listen at PATH; with --stdio: pass everything on to the worker there",
    )
    parser.add_argument(
        "--resident",
        action="store_true",
        help="with --stdio: pass everything on to a worker that stays, started if there is none",
    )
    parser.add_argument(
        "--workplace",
        type=_mark,
        metavar="MARK",
        help="with --resident: the worker of this workplace, which no other one meets",
    )
    parser.add_argument("--log", metavar="FILE", help="write the log to FILE instead of stderr")
    parser.add_argument(
        "--idle",
        type=float,
        default=Limits().idle_seconds,
        metavar="SECONDS",
        help="end after so long without sessions and connection (default: %(default)s)",
    )
    return parser


def _mark(text: str) -> str:
    """Return the mark of a workplace, which becomes a part of a file's name."""
    if not re.fullmatch(r"[0-9A-Za-z-]{1,40}", text):
        raise argparse.ArgumentTypeError("use at most 40 letters, digits and hyphens")
    return text


def _take_stdio() -> tuple[int, int]:
    """Return copies of stdin and stdout for the protocol; both then lead to the null device.

    So a stray `print` cannot get into the stream of messages.
    """
    fd_in, fd_out = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return fd_in, fd_out


def _log_to(file: str | None) -> None:
    logging.basicConfig(
        filename=file,
        level=logging.INFO,
        format=f"%(asctime)s nagomi-worker[{os.getpid()}] %(levelname)s %(message)s",
    )


def _carry(
    path: Path | None, workplace: str | None, fd_in: int, fd_out: int, program: Sequence[str]
) -> None:
    """Pass everything on to the resident worker, which itself never imports the bridge."""
    from nagomi_worker import bridge

    bridge.run(path or bridge.default_path(workplace or ""), fd_in, fd_out, program)


def _serve_stdio(fd_in: int, fd_out: int) -> None:
    """Serve the process that started this one; the worker and its sessions end with stdin."""
    # A redirected stdin may be a plain file, which epoll refuses and poll does not.
    selector = getattr(selectors, "PollSelector", selectors.DefaultSelector)()
    loop = Loop(selector)
    server = Server(loop, host(), Limits(), resident=False)
    server.connect(_stdio_stream(fd_in, fd_out))
    server.run()


def _stdio_stream(fd_in: int, fd_out: int) -> Stream:
    if sys.platform != "win32":
        return PipeStream(fd_in, fd_out)
    import threading

    from nagomi_worker import bridge

    ours, theirs = socket.socketpair()
    pump_in = threading.Thread(target=bridge.carry_in, args=(fd_in, theirs), daemon=True)
    # Not a daemon thread: the last messages are written before the process ends.
    pump_out = threading.Thread(target=bridge.carry_out, args=(theirs, fd_out))
    pump_in.start()
    pump_out.start()
    return SocketStream(ours)


def _serve_socket(path: Path, limits: Limits) -> None:
    """Serve at a socket until idle or told to end, whether or not the starter still runs."""
    loop = Loop()
    server = Server(loop, host(), limits, resident=True, path=path)
    listener = LockedListener(loop, path, server.connect)
    try:
        server.run()
    finally:
        listener.close()


if __name__ == "__main__":
    sys.exit(main())
