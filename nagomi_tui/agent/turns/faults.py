"""Sentences for the user on why a turn has no answer, or not a whole one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from nagomi_tui.agent.providers.interface import Cause, ModelFault
    from nagomi_tui.words import Words

_SENTENCES: Final[dict[Cause, str]] = {
    "overflow": translatable(
        "The conversation is too long for the model, even after it was summed up. "
        "`/new` begins another one."
    ),
    "key": translatable(
        "The model's server did not take the key. Set it in the settings or its variable, "
        "then `/retry`."
    ),
    "rate": translatable(
        "The model's server takes no more requests for now. Wait a little, then `/retry`."
    ),
    "overloaded": translatable(
        "The model's server is overloaded or down. Wait a little, then `/retry`."
    ),
    "offline": translatable(
        "The model's server cannot be reached. Look at the network and the address in the "
        "settings, then `/retry`."
    ),
    "late": translatable("The model did not answer in time. `/retry` asks again."),
    "broken": translatable("The answer broke off before its end. `/retry` asks again."),
    "garbled": translatable(
        "What the server sent is no answer of a model. Look at its address in the settings, "
        "then `/retry`."
    ),
    "refused": translatable("The model's server refused the request."),
    "other": translatable("The model gave no answer. `/retry` asks again."),
}
CONSENT: Final = "consent"
"""The `kind` of a `ModelFault` that nagomi raises if the user has not agreed to sending anything."""
_NO_CONSENT: Final = translatable(
    "Nothing is sent to a model before you agree to it: set `llm_consent` in the settings, "
    "section Privacy."
)
NO_WORDS: Final = translatable("The model said nothing. `/retry` asks again.")
TOO_MANY_ROUNDS: Final = translatable(
    "The model used its tools {count} times in a row and did not answer, so it was stopped. "
    "`/retry` asks again."
)
CUT: Final = translatable("The answer was cut at its longest; ask for the rest.")
REFUSED: Final = translatable("The model declined to go on.")
_SAYS: Final = translatable("{sentence} The server says: {message}")
_MOST_SAID: Final = 300


def sentence_of(fault: ModelFault, words: Words) -> str:
    """Return what is wrong and what to do, in the user's language, with the server's message."""
    if fault.kind == CONSENT:
        return words.gettext(_NO_CONSENT)
    sentence = words.gettext(_SENTENCES[fault.cause])
    message = str(fault).strip()[:_MOST_SAID]
    if not message:
        return sentence
    if not fault.status:  # not an HTTP answer: the message is from nagomi or the system
        return message if fault.cause == "key" else f"{sentence} ({message})"
    return words.say(_SAYS, sentence=sentence, message=message)
