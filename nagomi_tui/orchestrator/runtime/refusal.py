"""Why a request is not carried out: a sentence that is translated for whoever asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from nagomi_tui.words import Words

Code: TypeAlias = Literal[
    "not_found", "ambiguous", "refused", "login", "risky", "busy", "bad_request", "internal"
]


class Refusal(Exception):
    """A request cannot be carried out; `sentence` is the English key, with named placeholders."""

    def __init__(self, code: Code, sentence: str, **values: object) -> None:
        super().__init__(sentence.format(**values) if values else sentence)
        self.code: Code = code
        self.sentence = sentence
        self.values = values

    def worded(self, words: Words) -> str:
        """Return the sentence in a language."""
        return words.say(self.sentence, **self.values)
