"""The front-end socket as JSON Schema: each message both ways, and what requests are answered."""

from __future__ import annotations

import inspect
from typing import Any, Final, get_args

import msgspec

from nagomi_tui import __version__
from nagomi_tui.api.messages import PROTOCOL, FromClient, Request, ToClient, result_type

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_TYPES: Final = "#/$defs/"


def schema() -> dict[str, Any]:
    """Return one document; `results` holds by a request's `type` what its `done.result` is."""
    requests = [kind for kind in get_args(FromClient) if issubclass(kind, Request)]
    parts = (FromClient, ToClient, *(result_type(kind) for kind in requests))
    (from_client, to_client, *results), types = msgspec.json.schema_components(
        parts, ref_template=_TYPES + "{name}"
    )
    tags = (str(kind.__struct_config__.tag) for kind in requests)
    whole: dict[str, Any] = tidy(
        {
            "$schema": _DIALECT,
            "title": "The front-end socket of nagomi",
            "version": __version__,
            "protocol": PROTOCOL,
            "from_client": from_client,
            "to_client": to_client,
            "results": dict(zip(tags, results, strict=True)),
            "$defs": {short_name(name): found for name, found in types.items()},
        }
    )
    return whole


def tidy(value: Any, types: str = _TYPES, key: str = "") -> Any:
    """Name types without their modules, which may move, and take docstrings' indents out.

    `types` is what each reference to one of them begins with.
    """
    if isinstance(value, dict):
        return {name: tidy(one, types, name) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [tidy(one, types) for one in value]
    if isinstance(value, str) and value.startswith(types):
        return types + short_name(value.removeprefix(types))
    return inspect.cleandoc(value) if key == "description" else value


def short_name(name: str) -> str:
    """Return `VerdictState` for `….verdict.State`: two types that share a name have long ones."""
    module, _, own = name.rpartition(".")
    return module.rpartition(".")[2].capitalize() + own
