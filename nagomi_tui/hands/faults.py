"""Why a hand was not reached, from what its command printed."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from typing import IO, Final

from nagomi_tui.hands.hand import BadHand, Hand, NotLoggedIn
from nagomi_tui.text.words import Said, translatable

_KNOWN: Final = (
    (
        r"WSL_E_DISTRO_NOT_FOUND",
        translatable("WSL has no such distribution; `wsl.exe --list` names those that it has."),
    ),
    (
        r".*\n.*Wsl/Service/\S*CreateVm",
        translatable("WSL cannot start: {said} `wsl.exe --status` says more."),
    ),
    (
        r"exec: .?/bin/sh\b.*no such file",
        translatable("There is no shell behind {name}, so no worker can be started there: {said}"),
    ),
    (
        r"cannot connect to the docker daemon|connect to the docker daemon socket"
        r"|cannot connect to podman|connection to the server \S+ was refused"
        r"|unable to connect to the server",
        translatable("What runs the containers does not run, or lets you in nowhere: {said}"),
    ),
    (
        r"session open refused by peer",
        translatable(
            "The host behind {name} lets no more lines go over one login (`MaxSessions` of its sshd)."
        ),
    ),
    (
        r"remote host identification has changed",
        translatable(
            "The host behind {name} shows another key than before: it was set up anew, or somebody "
            "stands in between. If you know why, `ssh-keygen -R HOST` forgets the old key."
        ),
    ),
    (
        r"host key verification failed|no .* host key is known",
        translatable("The key of the host behind {name} is not known to ssh. {login}"),
    ),
    (
        r"permission denied \(|too many authentication failures|no supported authentication",
        translatable(
            "{name} lets nobody in without a password. {login} "
            "A key does without: `ssh-copy-id {target}` sets one up."
        ),
    ),
    (
        r"could not resolve hostname|name or service not known",
        translatable("There is no host of that name behind {name}: {said}"),
    ),
    (
        r"connection refused|no route to host|network is unreachable"
        r"|timed out|connection (closed|reset) by",
        translatable("The host behind {name} does not answer: {said}"),
    ),
    (
        r"no module named '?nagomi_worker",
        translatable("The Python that {name} names has no nagomi_worker: {said}"),
    ),
    (
        r"nagomi-worker.*(not found|no such file)|(not found|unknown command).*nagomi-worker",
        translatable(
            "There is no nagomi-worker behind {name}. Install nagomi-tui there, "
            "or name its worker with `--program`."
        ),
    ),
    (
        r"python[\d.]*\W.*(not found|no such file|not recognized)|(not found|unknown command).*python",
        translatable("There is no such Python behind {name}. Install Python 3.11 or later there."),
    ),
    (
        r"/bin/sh\W.*not recognized|the system cannot find the path specified",
        translatable(
            "There is no shell of Unix behind {name}; to Windows no worker is sent. Install nagomi-tui "
            "there, and name its worker with `--program`."
        ),
    ),
    (
        r"no such container|is not running|no distribution with the supplied name"
        r"|pods? .* not found|no such pod|container not found|a completed pod"
        r"|no container with name|container state improper",
        translatable("What {name} leads to is not there, or not running: {said}"),
    ),
    (r"no space left on device", translatable("The disk behind {name} is full: {said}")),
)


_LOG_IN: Final = translatable("`nagomi hands login {name}` lets ssh ask you.")
_LOG_IN_BY: Final = translatable("Log in once by `ssh {target}`.")


def sentence_of(hand: Hand, said: Sequence[str], code: int | None) -> BadHand:
    """Return why no worker answered; `said` are the last lines on stderr, `code` how it ended."""
    text = "\n".join(said)
    last = next((line for line in reversed(said) if line.strip()), "").strip()
    values: dict[str, object] = {"name": hand.name, "target": hand.command[-1], "said": last}
    values["login"] = Said(_LOG_IN if hand.kind == "ssh" else _LOG_IN_BY, values.copy())
    for pattern, sentence in _KNOWN:
        if found := re.search(pattern, text, re.IGNORECASE):
            line = next((one for one in said if found[0].partition("\n")[0] in one), last)
            asks = "{login}" in sentence and hand.kind == "ssh"
            return (NotLoggedIn if asks else BadHand)(sentence, **values | {"said": line.strip()})
    if last:
        return BadHand("{name} was not reached: {said}", **values)
    if code is None:
        return BadHand("{name} does not answer.", **values)
    sentence = translatable("The command of {name} ended with {code} and said nothing.")
    return BadHand(sentence, name=hand.name, code=code)


_END_SECONDS: Final = 5.0


def of_ended(
    hand: Hand, process: subprocess.Popen[bytes], stderr: IO[bytes], also: Sequence[str] = ()
) -> BadHand:
    """Return why a program on a hand ends, by what it has left in its file, behind what it has `also` said."""
    try:
        code = process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        code = None
    stderr.seek(0)
    return sentence_of(hand, [*also, *lines_of(last_of(stderr.read()))], code)


_LINE_LENGTH: Final = 500
KEPT: Final = 16 * 1024
"""Bytes of the last words that are kept, so that they can be understood at the end."""


def lines_of(data: bytes) -> list[str]:
    """Return the lines that say something, without what only a terminal would use."""
    text = data.decode("utf-16-le" if b"\n\0" in data else "utf-8", "replace")
    lines = (line.replace("\0", "").lstrip("\ufeff").strip() for line in text.splitlines())
    return [line[:_LINE_LENGTH] for line in lines if line]


def last_of(data: bytes) -> bytes:
    """Return what is kept of data; an even number of bytes is dropped, for the sake of UTF-16."""
    surplus = max(0, len(data) - KEPT)
    return data[surplus + surplus % 2 :]
