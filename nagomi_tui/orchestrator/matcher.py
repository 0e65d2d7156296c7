"""Where orchestrators of the version before start `runtime/matcher.py`, which has moved there."""

import os
import runpy

if __name__ == "__main__":
    runpy.run_path(
        os.path.join(os.path.dirname(os.path.abspath(__file__)), "runtime", "matcher.py"),
        run_name="__main__",
    )
