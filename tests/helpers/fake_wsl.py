"""A `wsl.exe` for tests, which does what the real one's source does with its command line.

It prints its own messages on stdout, in UTF-16 with CRLF unless WSL_UTF8 is 1, and ends with -1.
Behind `--exec` the words are split by Windows' rules; behind `--` all is one line for the shell. Of
the environment only what WSLENV names comes through.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import NoReturn

MESSAGES = {
    "missing": "There is no distribution with the supplied name.\n"
    "Error code: Wsl/Service/WSL_E_DISTRO_NOT_FOUND",
    "missing-ja": "指定された名前のディストリビューションはありません。\n"
    "Error code: Wsl/Service/WSL_E_DISTRO_NOT_FOUND",
    "stopped": "The operation could not be started because a required feature is not installed.\n"
    "Error code: Wsl/Service/CreateInstance/CreateVm/HCS_E_SERVICE_NOT_AVAILABLE",
}


def main() -> None:
    """Run as `wsl.exe -d DISTRO --exec WORDS`, or say why not."""
    # CreateProcess takes one line, which the caller's Python makes of the words.
    line = subprocess.list2cmdline(sys.argv[1:])
    option, distro, how, *_ = split(line)
    assert option == "-d"
    if (state := os.environ.get("FAKE_WSL", "")) in MESSAGES:
        refuse(MESSAGES[state])
    if distro != "Debian":
        refuse(MESSAGES["missing"])
    names = os.environ.get("WSLENV", "").split(":")
    env = {
        name: os.environ[name] for name in ("HOME", "TMPDIR", "PATH", *names) if name in os.environ
    }
    rest = line.partition(f" {how} ")[2]
    argv = split(rest) if how == "--exec" else ["/bin/sh", "-c", rest]
    os.execvpe(argv[0], argv, env)


def refuse(message: str) -> NoReturn:
    """Say it as the real one does."""
    text = message.replace("\n", "\r\n") + "\r\n"
    utf8 = os.environ.get("WSL_UTF8") == "1"
    os.write(1, text.encode("utf-8" if utf8 else "utf-16-le"))
    os._exit(255)


def split(line: str) -> list[str]:
    """Split a command line as CommandLineToArgvW does."""
    words: list[str] = []
    word, quoted, begun, slashes = "", False, False, 0
    for char in line:
        if char == "\\":
            slashes += 1
            continue
        if char == '"':
            word += "\\" * (slashes // 2)
            if slashes % 2:
                word += '"'
            else:
                quoted = not quoted
            begun = True
        else:
            word += "\\" * slashes
            if char in " \t" and not quoted:
                if begun or word:
                    words.append(word)
                word, begun = "", False
            else:
                word += char
        slashes = 0
    word += "\\" * slashes
    return [*words, word] if begun or word else words


if __name__ == "__main__":
    main()
