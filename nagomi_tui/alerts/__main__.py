"""`python -m nagomi_tui.alerts BACKEND`: the helper process for sounds, or for toasts (`desktop`)."""

from __future__ import annotations

import sys


def main() -> int:
    """Serve until stdin ends."""
    backend = sys.argv[1] if len(sys.argv) > 1 else ""
    if backend in ("desktop", "powershell-toast"):
        from nagomi_tui.alerts import toast_child

        return toast_child.run(backend)
    from nagomi_tui.alerts import sound_child

    return sound_child.run(backend)


if __name__ == "__main__":
    sys.exit(main())
