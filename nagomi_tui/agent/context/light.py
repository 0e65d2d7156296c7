"""The light summary of the chat's history: short, with three headings (W-31…W-33).

It is made between turns, before the history has reached the limit.
"""

from __future__ import annotations

from typing import Final

MESSAGES: Final = 40
"""The light summary is due with more messages than this."""
SHARE: Final = 0.75
"""The light summary is due for a request with more tokens than this share of the limit."""
HEADINGS: Final = ("決定事項", "未解決", "次の一手")
LENGTH: Final = (200, 400)
"""The fewest and most characters that the model is asked for."""
_SLACK: Final = 2

PROMPT: Final = """\
次の会話を200〜400字で要約してください。見出しは「決定事項」「未解決」「次の一手」の3つだけにし、\
会話の言語で書いてください。前置きは要りません。

"""


def fits_form(summary: str) -> bool:
    """Tell whether a summary has the three headings and is not far too long.

    Models do not count characters well, so up to twice the length asked for is accepted.
    """
    return all(heading in summary for heading in HEADINGS) and len(summary) <= LENGTH[1] * _SLACK
