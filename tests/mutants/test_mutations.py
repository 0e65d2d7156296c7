"""What `make mutants` puts into the code, and what it leaves out."""

from __future__ import annotations

import pytest

from tests.mutants.__main__ import MUTATED, ROOT, SAME, all_keys
from tests.mutants.mutations import mutations, same


@pytest.mark.parametrize(
    ("source", "changed"),
    [
        ("a < b", ["a >= b", "a <= b"]),
        ("a >= b", ["a < b", "a > b"]),
        ("a == b", ["a != b"]),
        ("a is not b", ["a is b"]),
        ("a not in b", ["a in b"]),
        ("0 < a < b", ["0 >= a < b", "0 <= a < b", "0 < a >= b", "0 < a <= b"]),
        ("a and b", ["a or b"]),
        ("a or b", ["a and b"]),
        ("not a", ["not not a"]),
        ("a + b", ["a - b"]),
        ("a -= b", ["a += b"]),
        ("a * b", []),
        ("-a", []),
    ],
)
def test_each_fault_is_made_once_and_alone(source: str, changed: list[str]) -> None:
    assert [mutation.source for mutation in mutations("a.py", source)] == changed


def test_a_fault_knows_where_it_is() -> None:
    source = "class A:\n    @one\n    def b(self):\n        return (lambda: c + d)\n\nx = a < b\n"
    inside, *outside = mutations("a.py", source)
    assert (inside.number, inside.function, inside.begins) == (4, "b", 2)
    assert inside.key == ("a.py", "b", "return (lambda: c + d)", "c - d")
    assert {(one.function, one.before, one.line) for one in outside} == {("", "a < b", "x = a < b")}


def test_each_place_that_gets_faults_is_there() -> None:
    assert [pattern for pattern in MUTATED if not any(ROOT.glob(pattern))] == []


@pytest.mark.slow
def test_those_that_change_nothing_are_still_there_and_have_a_reason() -> None:
    known, there = same(SAME), all_keys()
    assert [key for key in known if key not in there] == []
    assert all(reason.endswith(".") for reason in known.values())
