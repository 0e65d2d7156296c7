"""Checks who may use the API: programs on this machine with the token, but no browser pages.

On the Unix socket the kernel tells which user a client is, so no token is needed there.
"""

from __future__ import annotations

import hmac
import time
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from nagomi_tui.agent.http.bodies import Refused

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.datastructures import Headers

NAMES: Final = ("localhost", "127.0.0.1", "[::1]")
"""Accepted names in the `Host` header; another name may be an attack by DNS rebinding."""
_RATE: Final = 50.0
"""Requests per second on TCP, on average."""
_OWN_RATE: Final = 400.0
"""Requests per second on the Unix socket, on average; higher for programs that poll."""
_BURST: Final = 200.0


class Bucket:
    """A token bucket: limits the rate of requests, with unused ones saved up to a burst."""

    def __init__(
        self, rate: float, burst: float = _BURST, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate, self._burst, self._now = rate, burst, now
        self._left, self._at = burst, now()

    def take(self) -> bool:
        """Take a request out of the bucket; return False if none is left."""
        now = self._now()
        self._left = min(self._burst, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class Gate:
    """Checks the headers of requests on one socket, before a byte of a body is read."""

    def __init__(
        self,
        *,
        token: Callable[[], str] | None = None,
        port: int = 0,
        bucket: Bucket | None = None,
    ) -> None:
        """`token` reads the token, and `port` is the TCP port; None and 0 for a Unix socket."""
        self._token = token
        self._hosts = {f"{name}:{port}" for name in NAMES} if port else set(NAMES)
        self._bucket = bucket or Bucket(_RATE if port else _OWN_RATE)

    @property
    def wants_token(self) -> bool:
        """Whether a client is a stranger until it has sent the token."""
        return self._token is not None

    def check(self, headers: Headers) -> None:
        """Check where a request comes from, then its token and the rate.

        Raises:
            Refused: the request may not pass.
        """
        self._check_host(headers)
        self._check_origin(headers)
        self._check_token(headers)
        if not self._bucket.take():
            sentence = "Too many requests; wait a moment."
            later = {"retry-after": "1"}
            raise Refused(HTTPStatus.TOO_MANY_REQUESTS, sentence, "too_many", headers=later)

    def _check_host(self, headers: Headers) -> None:
        host = headers.get("host", "").lower()
        if len(headers.getlist("host")) != 1 or host not in self._hosts:
            sentence = "This is nagomi on localhost, which no other name of a host leads to."
            raise Refused(HTTPStatus.MISDIRECTED_REQUEST, sentence, "wrong_host")

    def _check_origin(self, headers: Headers) -> None:
        """Refuse pages in browsers, whatever their origin: nagomi has none."""
        site = headers.get("sec-fetch-site", "none").lower()
        if "origin" in headers or site not in ("none", "same-origin"):
            sentence = "Pages in a browser may not use nagomi."
            raise Refused(HTTPStatus.FORBIDDEN, sentence, "wrong_origin")

    def _check_token(self, headers: Headers) -> None:
        if self._token is None:
            return
        kind, _, told = headers.get("authorization", "").partition(" ")
        given = told.strip().encode("latin-1")
        if kind.lower() != "bearer" or not hmac.compare_digest(given, self._token().encode()):
            sentence = (
                "This needs the header `Authorization: Bearer TOKEN`; "
                "`nagomi api token` prints the token."
            )
            more = {"www-authenticate": 'Bearer realm="nagomi"'}
            raise Refused(HTTPStatus.UNAUTHORIZED, sentence, "unauthorized", headers=more)
