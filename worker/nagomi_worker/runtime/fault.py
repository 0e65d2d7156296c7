"""What a worker says went wrong, so that it can be said in another language."""

from __future__ import annotations


class WorkerFault(ValueError):
    """An order cannot be carried out; the message is for the user.

    `sentence` is the English sentence with named placeholders, which the orchestrator translates,
    and `values` are what stands in their place.
    """

    def __init__(self, sentence: str, **values: object) -> None:
        self.sentence = sentence
        self.values = {name: str(value) for name, value in values.items()}
        super().__init__(sentence.format(**self.values))
