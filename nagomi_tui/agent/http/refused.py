"""Refusals of requests: an HTTP status, a sentence, and a code for programs."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui.agent.http.bodies import Fault

if TYPE_CHECKING:
    from collections.abc import Mapping

JSON: Final = "application/json"
STATUS_OF: Final[Mapping[str, int]] = {
    "bad_request": HTTPStatus.UNPROCESSABLE_ENTITY,
    "not_found": HTTPStatus.NOT_FOUND,
    "ambiguous": HTTPStatus.CONFLICT,
    "refused": HTTPStatus.CONFLICT,
    "login": HTTPStatus.CONFLICT,
    "risky": HTTPStatus.CONFLICT,
    "busy": HTTPStatus.CONFLICT,
    "internal": HTTPStatus.INTERNAL_SERVER_ERROR,
}
"""The HTTP status for each code of the front-end socket; 422 as the JSON itself was valid."""


class Refused(Exception):
    """A request is not carried out; the message is a sentence."""

    def __init__(
        self,
        status: int,
        sentence: str,
        code: str,
        *,
        reason: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(sentence)
        self.status = int(status)
        self.fault = Fault(error=sentence, code=code, reason=reason)
        self.headers = dict(headers or {})

    @property
    def body(self) -> bytes:
        """The answer's body."""
        return msgspec.json.encode(self.fault)
