"""The model providers in use, and sentences on why a model gave no answer."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from typing import Final

import anyio
import anyio.to_thread
import msgspec

from nagomi_tui.agent.context.sizes import estimate, tokens_in
from nagomi_tui.agent.context.window import OVER_SETTING, SUMMED, ContextGuard, Learned, guarded
from nagomi_tui.agent.providers import interface as llm
from nagomi_tui.agent.providers.choose import PUBLIC_URLS, limit_of, provider_of
from nagomi_tui.agent.providers.faults import ProviderAround, reason_of
from nagomi_tui.agent.providers.models import Ledger, model_of
from nagomi_tui.agent.providers.stream import WHOLE
from nagomi_tui.settings.model import Settings
from nagomi_tui.text.cells import printable
from nagomi_tui.text.words import Words, translatable

_SENTENCES: Final[dict[llm.Cause, str]] = {
    "overflow": translatable(
        "This is too long for the model: the message with the instructions and tools that go along. "
        "Say it shorter, or `/model` asks another one."
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
_SUMMED: Final = translatable(
    "The conversation is too long for the model, even after it was summed up. "
    "`/new` begins another one."
)
_OVER_SETTING: Final = translatable(
    "Not sent: with the instructions and tools that go along it has more tokens than "
    "`agent_context_limit` in the settings, section Agent, allows. Say it shorter, or raise that."
)
_WAIT: Final = translatable(
    "The model's server takes no more requests for {seconds} s. Wait so long, then `/retry`."
)
SPENT: Final = "spent"
"""The `kind` of a `ModelFault` that nagomi raises when the day's money is spent."""
_SPENT: Final = translatable(
    "Nothing more is asked today: `agent_cost_per_day` in the settings, section Agent, is reached."
)
SPENT_UNPRICED: Final = "spent_unpriced"
"""The `kind` where the day's money is spent by what was assumed: the cost of some is not known."""
_SPENT_UNPRICED: Final = translatable(
    "Nothing more is asked today: `agent_cost_per_day` in the settings, section Agent, is reached. "
    "What the model costs is not known, so it counts as the dearest one that is; its own prices go "
    "into `models.toml` of the settings folder, 0 where it costs nothing."
)
_UNPRICED: Final = translatable(
    "What {model} costs is not known: towards `agent_cost_per_day` it counts as the dearest model "
    "that is known. Its own prices go into `models.toml` of the settings folder, 0 where it costs "
    "nothing."
)
CONSENT: Final = "consent"
"""The `kind` of a `ModelFault` that nagomi raises if the user has not agreed to sending anything."""
_NO_CONSENT: Final = translatable(
    "Nothing is sent to a model before you agree to it: `nagomi chat` asks you, or set "
    "`llm_consent` in the settings, section Privacy."
)
NO_WORDS: Final = translatable("The model said nothing. `/retry` asks again.")
TOO_MANY_ROUNDS: Final = translatable(
    "The model used its tools {count} times in a row and did not answer, so it was stopped. "
    "`/retry` asks again."
)
_ODD: Final = {
    "max_tokens": translatable("The answer was cut at its longest; ask for the rest."),
    "refusal": translatable("The model declined to go on."),
    "model_context_window_exceeded": translatable(
        "The model's window was full before the answer was whole. "
        "`/compact` makes room for the rest."
    ),
}
_STOPPED: Final = translatable("The model stopped before the answer was whole ({reason}).")
_SAYS: Final = translatable("{sentence} The server says: {message}")
_MOST_SAID: Final = 300
_OWN: Final = {CONSENT: _NO_CONSENT, SPENT: _SPENT, SPENT_UNPRICED: _SPENT_UNPRICED}
_LONG: Final = {SUMMED: _SUMMED, OVER_SETTING: _OVER_SETTING}
_BUSY: Final = ("rate", "overloaded")


def odd_end(stop_reason: str, words: Words) -> str:
    """Return a sentence on an answer that is not whole; empty for one that is."""
    if stop_reason in WHOLE or not stop_reason:
        return ""
    if known := _ODD.get(stop_reason):
        return words.gettext(known)
    return words.say(_STOPPED, reason=printable(stop_reason))


def stage_of(step: llm.Progress, words: Words) -> str:
    """Return a line on what happens before an answer begins."""
    match step.kind:
        case "retry":
            return words.say(
                _RETRIES, why=reason_of(step.cause, words), seconds=f"{step.seconds:.0f}"
            )
        case "cut":
            return words.say(_CUT_TO, size=_size(step.size))
        case "sum":
            return words.say(_SUMS, count=step.messages)
        case _:
            return words.say(_SUMMED_UP, count=step.messages, percent=step.percent)


_RETRIES: Final = translatable("… {why}; again in {seconds} s")
_CUT_TO: Final = translatable("… too long for the model: the results of tools are cut to {size}")
_SUMS: Final = translatable("… too long for the model: summing up the first {count} messages")
_SUMMED_UP: Final = translatable(
    "… {count} messages are summed up; the window is full to {percent} %"
)


def _size(count: int) -> str:
    return f"{count / 1000:.0f} KB" if count >= 1000 else f"{count} B"


def sentence_of(fault: llm.ModelFault, words: Words) -> str:
    """Return what is wrong and what to do, in the user's language, with the server's message."""
    if own := _OWN.get(fault.kind):
        return words.gettext(own)
    sentence = words.gettext(_LONG.get(fault.kind) or _SENTENCES[fault.cause])
    if fault.retry_after is not None and fault.retry_after > 1 and fault.cause in _BUSY:
        sentence = words.say(_WAIT, seconds=round(fault.retry_after))
    message = str(fault).strip()[:_MOST_SAID]
    if not message:
        return sentence
    if not fault.status:  # not an HTTP answer: the message is from nagomi or the system
        return message if fault.cause == "key" else f"{sentence} ({words.gettext(message)})"
    return words.say(_SAYS, sentence=sentence, message=message)


def asking_sentence_of(fault: llm.ModelFault, words: Words) -> str:
    """Return what `sentence_of` does, for a single question, where there are no slash commands."""
    return sentence_of(fault, words).replace("`/retry`", "`nagomi ask`")


class Models:
    """Gives out providers, and reuses each until its settings change.

    `environment` may hold the models' keys.
    """

    def __init__(
        self, settings: Callable[[], Settings], environment: Mapping[str, str], ledger: Ledger
    ) -> None:
        self._settings = settings
        self._environment = environment
        self.ledger = ledger
        self._kept: dict[tuple[object, ...], _Watched] = {}
        self._asking = 0
        self.on_asking: Callable[[bool], object] = lambda _asking: None
        """Called with True when requests begin, and with False when none runs any more."""

    @property
    def needs_consent(self) -> bool:
        """Whether the user has not agreed yet that anything is sent."""
        return not self._settings().llm_consent

    @property
    def place(self) -> str:
        """The address of the model's server."""
        settings = self._settings()
        return settings.agent_url or PUBLIC_URLS[settings.agent_provider]

    def provider(
        self, model: str = "", environment: Mapping[str, str] | None = None, *, agreed: bool = False
    ) -> _Watched:
        """Return the provider for the current settings, or for another `model` of that provider.

        Variables in `environment`, such as the caller's key, go before those of this process.
        `agreed` is whether the user has agreed to this use, beside the setting.

        Raises:
            ModelFault: the user has not agreed to sending anything, there is no key, or the day's
                money is spent.
        """
        settings = self._chosen(model)
        if not settings.llm_consent and not agreed:
            raise llm.ModelFault("refused", kind=CONSENT)
        self.check_money()
        known = {**self._environment, **(environment or {})}
        key = (
            settings.agent_provider, settings.agent_url, settings.agent_model, settings.language,
            settings.agent_key_command, *sorted((environment or {}).items()),
            settings.agent_key_variable,
        )  # fmt: skip
        if key not in self._kept:
            self._kept[key] = _Watched(provider_of(settings, known), self)
        return self._kept[key]

    def check_money(self) -> None:
        """Check that the day's money is not spent; what is not known counts as the dearest model's.

        Raises:
            ModelFault: it is.
        """
        most, today = self._settings().agent_cost_per_day, self.ledger.today()
        if most and today.cost + today.assumed >= most:
            raise llm.ModelFault("refused", kind=SPENT_UNPRICED if today.assumed else SPENT)

    def unpriced_note(self, words: Words, model: str = "") -> str:
        """Return a sentence if there is a limit in money, and the model has no prices; else ""."""
        name = self.name(model)
        known = model_of(name).prices(0) is not None
        return words.say(_UNPRICED, model=name) if self.day_limit() and not known else ""

    def name(self, model: str = "") -> str:
        """Return the name of the model, by default that of the settings."""
        return self._chosen(model).agent_model

    def limit(self, model: str = "") -> int:
        """Return the context limit in tokens: that of the settings, the server's, or the model's."""
        settings = self._chosen(model)
        place = (settings.agent_provider, settings.agent_url, settings.agent_model)
        told = next((one.told for key, one in self._kept.items() if key[:3] == place), None)
        return limit_of(settings, told)

    @property
    def is_limit_set(self) -> bool:
        """Whether the context limit is the user's own setting."""
        return bool(self._settings().agent_context_limit)

    async def ask_limit(self, provider: _Watched, model: str = "") -> int:
        """Return the context limit, for which the server was asked once (X-21)."""
        settings = self._chosen(model)
        if not settings.agent_context_limit and (
            settings.agent_url or not model_of(settings.agent_model).listed
        ):
            await provider.learn()
        return self.limit(model)

    async def guarded(self, environment: Mapping[str, str] | None = None) -> ContextGuard:
        """Return the model for a single question, which is made to fit.

        Raises:
            ModelFault: as with `provider`.
        """
        provider = self.provider(environment=environment)
        limit = await self.ask_limit(provider)
        return guarded(provider, limit, learned=provider.learned, is_set=self.is_limit_set)

    def day_limit(self) -> float:
        """Return the most US dollars for a day; 0 for no limit."""
        return self._settings().agent_cost_per_day

    async def close(self) -> None:
        """Close the connections of all providers, within a second."""
        kept, self._kept = self._kept, {}
        with anyio.move_on_after(1, shield=True):
            for provider in kept.values():
                with contextlib.suppress(Exception):
                    await provider.close()

    def count(self, by: int) -> None:
        """Count one request more or less that runs."""
        before, self._asking = self._asking, self._asking + by
        if bool(before) != bool(self._asking):
            self.on_asking(bool(self._asking))

    def _chosen(self, model: str) -> Settings:
        settings = self._settings()
        return msgspec.structs.replace(settings, agent_model=model) if model else settings


class _Watched(ProviderAround):
    """A provider whose requests are counted while they run, and by what they used."""

    def __init__(self, provider: llm.Provider, models: Models) -> None:
        super().__init__(provider)
        self._models = models
        self.learned = Learned()
        """What refusals told of the server's limit."""
        self.told: int | None = None
        """The limit by the server's own account."""
        self._asked = False

    async def learn(self) -> None:
        """Ask the server for its limit, once."""
        if not self._asked:
            self._asked = True
            self.told = await self._provider.window()

    async def ask(self, request: llm.ModelRequest) -> AsyncGenerator[llm.ModelEvent]:
        """Stream an answer.

        Raises:
            ModelFault: there is none, it broke off, or the day's money is spent.
        """
        self._models.check_money()
        self._models.count(1)
        said: list[str] = []
        begun = answered = False
        try:
            async with aclosing(self._provider.ask(request)) as events:
                async for event in events:
                    begun = begun or not isinstance(event, llm.Progress)
                    if isinstance(event, llm.TextPiece):
                        said.append(event.text)
                    elif isinstance(event, llm.Answered):
                        answered = True
                        await self._note(request, event.usage)
                    yield event
        finally:
            self._models.count(-1)
            if begun and not answered:
                broken = llm.Usage(input=estimate(request), output=tokens_in("".join(said)))
                await self._note(request, model_of(self.model).priced(broken))

    async def _note(self, request: llm.ModelRequest, usage: llm.Usage) -> None:
        """Count what was used in a thread, since a disk may be slow, also if cancelled."""
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(self._models.ledger.add, request.route, usage)
