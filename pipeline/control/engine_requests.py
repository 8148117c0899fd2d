"""What rules ask of the engine that answers them, which does it as if a person had asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from ...errors import PipelineError
from ...ontology.modules import RuleStatement
from .knowledge_admin import KnowledgeAdmin
from .submissions import Submissions

__all__ = ["EngineRequests"]

Part = TypeVar("Part")


class EngineRequests:
    """See `EngineHost`. The parts are looked for when somebody asks: calls are there before them.

    Args:
        ontology: gives the modules; `None`: not yet.
        submissions: gives the submitted queries; likewise.
    """

    def __init__(
        self, ontology: Callable[[], KnowledgeAdmin | None], submissions: Callable[[], Submissions | None]
    ) -> None:
        self._ontology, self._submissions = ontology, submissions

    def state(self, statements: Sequence[RuleStatement]) -> None:
        """See `EngineHost.state`."""
        _there(self._ontology()).state(statements)

    def submit(self, name: str, text: str) -> None:
        """See `EngineHost.submit`."""
        _there(self._submissions()).submit(name, text)

    def withdraw(self, name: str) -> None:
        """See `EngineHost.withdraw`."""
        _there(self._submissions()).withdraw(name)


def _there(part: Part | None) -> Part:
    if part is None:
        raise PipelineError("the engine begins", hint="it is asked again")
    return part
