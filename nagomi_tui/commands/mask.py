"""`nagomi mask`: a filter that masks secrets in whatever passes through it."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator
from io import BufferedReader
from typing import Final, cast

from nagomi_tui.commands.parser import Commands, add, add_flag
from nagomi_tui.masking import Masker, mask_styled
from nagomi_tui.system.console import failure, tr
from nagomi_tui.system.outcome import Exit

_CHUNK: Final = 65536
_LONGEST: Final = 4 * 1024 * 1024
"""A line without end is masked in parts of this many bytes, so that memory stays bounded."""


def register(commands: Commands) -> None:
    parser = add(commands, "mask", run, tr("mask secrets in what is read from stdin"))
    add_flag(parser, "--check", help=tr("exit with 1 when something was masked"))


def run(arguments: Namespace) -> int:
    """Pass stdin through to stdout, masked; bytes that are no text pass as they are."""
    if sys.stdin is None or sys.stdout is None:
        raise failure("there is no stdin to read.", Exit.USAGE)
    masker = Masker()
    found = False
    for lines in _batches(cast("BufferedReader", sys.stdin.buffer)):
        texts = [line.decode("utf-8", "surrogateescape") for line in lines]
        bodies = [text.rstrip("\r\n") for text in texts]
        masked: list[str] = []
        for body in bodies:
            masked.append(mask_styled(masker, body))
            masker.cover(masked)
        found = found or masked != bodies
        for text, body, line in zip(texts, bodies, masked, strict=True):
            out = (line + text[len(body) :]).encode("utf-8", "surrogateescape")
            sys.stdout.buffer.write(out)
        sys.stdout.buffer.flush()
    return Exit.FAILED if arguments.check and found else Exit.OK


def _batches(source: BufferedReader) -> Iterator[list[bytes]]:
    """Yield lines with their ends as soon as they are there, the last one perhaps without."""
    kept = bytearray()
    while chunk := source.read1(_CHUNK):
        kept += chunk
        end = kept.rfind(b"\n", len(kept) - len(chunk)) + 1 or _part(kept)
        if end:
            yield _lines(bytes(kept[:end]))
            del kept[:end]
    if kept:
        yield [bytes(kept)]


def _lines(data: bytes) -> list[bytes]:
    """Return the lines with their ends; only a line feed ends one."""
    lines = data.split(b"\n")
    return [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _part(kept: bytearray) -> int:
    """Return where to cut a line that is too long: behind its last blank, 0 if it is not."""
    if len(kept) < _LONGEST:
        return 0
    return kept.rfind(b" ") + 1 or len(kept)
