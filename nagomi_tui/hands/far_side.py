"""What Python runs on the far side before the worker: it keeps a pack in a cache, and starts it.

It is sent there as text, so it imports nothing of nagomi, and runs on Python 3.11 or newer. Each
pack is a folder of the cache, named as the pack, which is renamed into its place when it is whole.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import stat
import sys
import zlib

assert sys.platform != "win32"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

KEPT = 3
"""Packs that are kept, unless a worker runs from one more."""
FORGOTTEN_SECONDS = 3600
MANIFEST = "MANIFEST"


class PackFault(Exception):
    """The pack cannot be kept; the arguments are a word for why, and what the system says."""


def main() -> None:
    """Tell what is here, and carry out orders until the worker takes this process's place."""
    here = os.uname()
    tell(
        "facts",
        python=".".join(map(str, sys.version_info[:3])),
        suffix=__import__("_imp").extension_suffixes()[0],
        system=here.sysname,
        machine=here.machine,
        terminal=os.isatty(0),
        packs=sorted({name for place in places() for name in packs_in(place)}),
    )
    while True:
        order = json.loads(read_line())
        data = read_exactly(order["size"])
        try:
            folder = kept(order["pack"])
            if not folder and data:
                folder = keep(order["pack"], data)
        except PackFault as exc:
            tell("failed", why=exc.args[0], said=exc.args[1])
            sys.exit(1)
        if folder:
            program = os.path.join(folder, "nagomi_worker", "packed.py")
            os.execv(sys.executable, [sys.executable, "-I", "-S", program, *order["arguments"]])
        tell("missing")


def tell(kind: str, **facts: object) -> None:
    # In two pieces, so that a terminal that echoes this program does not seem to speak.
    os.write(1, b"nagomi-" + b"far " + kind.encode() + b" " + json.dumps(facts).encode() + b"\n")


def read_line() -> bytes:
    """Return the next line of stdin; what follows is left for whoever reads on."""
    line = b""
    while not line.endswith(b"\n"):
        line += read_exactly(1)
    return line


def read_exactly(size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        piece = os.read(0, min(size - len(data), 1 << 16))
        if not piece:
            sys.exit(1)  # the line was cut, and nothing is kept of what came
        data += piece
    return bytes(data)


def places() -> Iterator[str]:
    """Yield the folders that may hold packs: in the home folder, else in a temporary one."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(cache):
        cache = os.path.join(os.path.expanduser("~"), ".cache")
    if os.path.isabs(cache):
        yield os.path.join(cache, "nagomi", "worker")
    for folder in (os.environ.get("TMPDIR", ""), "/tmp", "/var/tmp", "/dev/shm"):
        if os.path.isabs(folder) and os.path.isdir(folder):
            yield os.path.join(folder, f"nagomi-worker-{os.getuid()}")


def is_ours(place: str) -> bool:
    """Tell whether it is a folder in which only this user can read and write."""
    try:
        found = os.lstat(place)
    except OSError:
        return False
    private = not stat.S_IMODE(found.st_mode) & 0o077
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and private


def packs_in(place: str) -> list[str]:
    """Return the names of the packs in a folder, the one used last first."""
    if not is_ours(place):
        return []
    try:
        found = {
            one.name: one.stat().st_mtime
            for one in os.scandir(place)
            if len(one.name) == 64 and one.is_dir(follow_symlinks=False)
        }
    except OSError:
        return []
    return sorted(found, key=found.__getitem__, reverse=True)


def kept(name: str) -> str | None:
    """Return the folder of a pack, every file of which is as it was sent; else None."""
    for place in places():
        folder = os.path.join(place, name)
        if is_ours(place) and is_whole(folder, name):
            with contextlib.suppress(OSError):  # the cache may be read-only
                os.utime(folder)
            return folder
    return None


def is_whole(folder: str, name: str) -> bool:
    try:
        with open(os.path.join(folder, MANIFEST), "rb") as file:
            manifest = file.read()
        if hashlib.sha256(manifest).hexdigest() != name:
            return False
        for line in manifest.decode().splitlines():
            digest, _, path = line.split(" ", 2)
            with open(os.path.join(folder, path), "rb") as file:
                if hashlib.sha256(file.read()).hexdigest() != digest:
                    return False
    except (OSError, ValueError):
        return False
    return True


def keep(name: str, data: bytes) -> str:
    """Unpack a pack into the first place that takes it, and return its folder."""
    manifest, files = opened(name, data)
    faults: list[OSError] = []
    for place in places():
        try:
            os.makedirs(place, mode=0o700, exist_ok=True)
            if not is_ours(place):
                faults.append(OSError(errno.EACCES, "it is not yours alone", place))
                continue
            folder = put(place, name, manifest, files)
        except OSError as exc:
            faults.append(exc)
        else:
            remove_old(place, name)
            return folder
    full = [one for one in faults if one.errno in (errno.ENOSPC, errno.EDQUOT)]
    said = str((full or faults)[0]) if faults else "there is none"
    raise PackFault("room" if full else "place", said)


def opened(name: str, data: bytes) -> tuple[bytes, dict[str, bytes]]:
    """Return a pack's manifest, and its files by their paths, after checking all of it."""
    try:
        content = zlib.decompress(data)
    except zlib.error as exc:
        raise PackFault("damaged", str(exc)) from exc
    manifest, _, rest = content.partition(b"\n\n")
    manifest += b"\n"
    if hashlib.sha256(manifest).hexdigest() != name:
        raise PackFault("damaged", "the list of its files")
    files: dict[str, bytes] = {}
    for line in manifest.decode().splitlines():
        digest, size, path = line.split(" ", 2)
        files[path], rest = rest[: int(size)], rest[int(size) :]
        if hashlib.sha256(files[path]).hexdigest() != digest:
            raise PackFault("damaged", path)
    return manifest, files


def put(place: str, name: str, manifest: bytes, files: dict[str, bytes]) -> str:
    """Write the files beside the place, and rename them into it when all are there."""
    new = os.path.join(place, f".new-{os.urandom(8).hex()}")
    try:
        for path, data in {**files, MANIFEST: manifest}.items():
            path = os.path.join(new, path)
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            with open(path, "wb") as file:
                file.write(data)
        return renamed(new, os.path.join(place, name), name)
    except OSError:
        remove(new)
        raise


def renamed(new: str, folder: str, name: str) -> str:
    """Give a whole pack its name; where another process was quicker, its pack stays."""
    for _ in range(3):
        try:
            os.rename(new, folder)
        except OSError as exc:
            if exc.errno not in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR):
                raise
        else:
            return folder
        if is_whole(folder, name):
            remove(new)
            return folder
        set_aside(folder)
    raise OSError(errno.EBUSY, "others write there", folder)


def set_aside(folder: str) -> None:
    """Remove a folder that others may be reading: at one moment it is whole, at the next gone."""
    aside = os.path.join(os.path.dirname(folder), f".old-{os.urandom(8).hex()}")
    os.rename(folder, aside)
    remove(aside)


def remove(folder: str) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


def remove_old(place: str, name: str) -> None:
    """Remove the packs that were not used for longest, and what cut-off processes have left."""
    import fcntl
    import time

    for old in [one for one in packs_in(place) if one != name][KEPT - 1 :]:
        folder = os.path.join(place, old)
        try:
            # A worker holds this file's lock while it runs from there. NFS wants it writable.
            with open(os.path.join(folder, MANIFEST), "r+b") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                set_aside(folder)
        except OSError:
            continue
    for one in os.scandir(place):
        if one.name.startswith((".new-", ".old-")):
            try:
                left = time.time() - one.stat(follow_symlinks=False).st_mtime
            except OSError:
                continue
            if left > FORGOTTEN_SECONDS:
                remove(one.path)


if __name__ == "__main__":
    main()
