"""Questions and choices on a screen, and the rules that find them, as values."""

from __future__ import annotations

import msgspec

from nagomi_tui.judge.patterns import given_up, multiline


class Condition(msgspec.Struct, frozen=True, rename={"none": "not"}, forbid_unknown_fields=True):
    """Holds if all of `all`, one of `any` and none of `not` are found; an empty list holds."""

    all: tuple[str, ...] = ()
    any: tuple[str, ...] = ()
    none: tuple[str, ...] = ()

    def holds(self, text: str) -> bool:
        """Tell whether the text fulfils it; `^` and `$` match at each line."""
        return (
            all(multiline(item).search(text) for item in self.all)
            and (not self.any or any(multiline(item).search(text) for item in self.any))
            and not any(multiline(item).search(text) or given_up(item) for item in self.none)
        )


class Choice(msgspec.Struct, frozen=True):
    """One way to answer: the key or word to send, and what the program says it means."""

    key: str
    """`enter` and `escape` are keys; anything else is sent as it is."""
    label: str = ""


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A question that stands open on the screen."""

    question_id: str
    """An id that stays the same while the question's words and choices do."""
    text: str
    details: tuple[str, ...] = ()
    """What it is about: the command to be allowed, the edit to be made."""
    choices: tuple[Choice, ...] = ()
    options: tuple[str, ...] = ()
    """The entries of a menu for the arrow keys, which no single key chooses."""
    typed: str = ""
    """What was already typed behind the question."""
    default: str = ""
    """What Enter alone answers; empty if the program does not say."""
    by_line: bool = False
    """The program reads a line, so Enter must follow a choice; Enter alone is a choice, too."""
    rule: str = ""

    def choice(self, key: str) -> Choice | None:
        """Return the choice that a user means by its key, or None."""
        exact = next((choice for choice in self.choices if choice.key == key), None)
        low = key.lower()
        return exact or next((one for one in self.choices if one.key.lower() == low), None)


class QuestionSample(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A screen, the cursor behind its last character, and the keys that must be found on it."""

    screen: str
    keys: tuple[str, ...] = ()
    text: str = ""


class QuestionRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a program asks: by a menu on the screen (`option`), in a row (`row`) or on a line (`line`).

    With none of them, what stands behind `begins` or `after` is told, and no single key answers it.
    """

    name: str
    when: Condition = Condition()
    """Holds on the screen's lower rows, as in a rule."""
    option: str = ""
    """A row of the menu, or one choice in `row`, with the groups `key` and `label`."""
    row: str = ""
    """A row near the end of the screen that names all choices; `option` is looked for in it alone,
    and the key is pressed without Enter."""
    line: str = ""
    """What stands left of the cursor, with the groups `asked`, `options` and `typed`."""
    begins: str = ""
    """Pattern of the question's first row: the last match above the menu."""
    after: str = ""
    """Pattern of the row before the question: the last match above the menu."""
    leave_out: str = ""
    """Pattern of rows above the menu that are ignored, such as tips."""
    choices: tuple[Choice, ...] = ()
    """Choices that the screen does not name."""
    sample: tuple[QuestionSample, ...] = ()


class InputSample(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A screen, what stands between `{{` and `}}` faint on it, and the draft to be found."""

    screen: str
    draft: str = ""


class InputRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where an agent's own input stands; the last such place on the screen counts."""

    marker: str
    """The beginning of its first row, which is no part of what was typed."""
    above: str = ""
    """The row above it."""
    ends: str = r"^\s*$"
    """The first row behind it."""
    hints: tuple[str, ...] = ()
    """Colours `#rrggbb` in which hints are written; what is faint is one anyway."""
    enter_pause: float = 0.06
    """Seconds between a text and Enter: some take a quick one for part of a paste."""
    sample: tuple[InputSample, ...] = ()
