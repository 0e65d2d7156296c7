"""Types are worked out once, whichever threads ask for them first."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
RACE: Final = """
import sys, threading, types
import msgspec
from nagomi_tui.system.decoding import from_builtins

sys.setswitchinterval(1e-5)
made = sys.modules["made"] = types.ModuleType("made")
made.Struct = msgspec.Struct
for number in range(40):
    inner = f"dict[str, list[A{number - 1}]]" if number else "int"
    fields = "; ".join(f"f{each}: '{inner} | None' = None" for each in range(12))
    exec(f"class A{number}(Struct): {fields}", made.__dict__)
together = threading.Barrier(8)

def convert(number):
    together.wait()
    from_builtins({"f1": {"a": [{"f2": {"b": [{}]}}]}}, getattr(made, f"A{39 - number}"))

threads = [threading.Thread(target=convert, args=(number % 2,)) for number in range(8)]
for each in threads: each.start()
for each in threads: each.join()
print("converted")
"""


def test_threads_that_use_a_type_first_do_not_end_the_process() -> None:
    """Called directly, msgspec ended each of eight such processes."""
    for _ in range(6):
        done = subprocess.run(
            [sys.executable, "-c", RACE], cwd=ROOT, capture_output=True, text=True, timeout=60
        )
        assert (done.returncode, done.stdout) == (0, "converted\n"), done.stderr


def test_msgspec_is_asked_for_types_in_one_place() -> None:
    direct = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in (ROOT / "nagomi_tui").rglob("*.py")
        if path.name != "decoding.py" and "msgspec" in (text := path.read_text())
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and _works_out_a_type(node)
    ]
    assert direct == []


def _works_out_a_type(call: ast.Call) -> bool:
    name = ast.unparse(call.func)
    return (
        name == "msgspec.convert"
        or (name == "msgspec.json.Decoder" and bool(call.args))
        or (name == "msgspec.json.decode" and any(each.arg == "type" for each in call.keywords))
    )
