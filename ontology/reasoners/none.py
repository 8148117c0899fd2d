"""No reasoning: the modules as they are; nothing is checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...settings import ReasonerName
from ...storage import Telling, untold
from ..modules import Module
from .hierarchy import ClosureLimits
from .reasoner import Closure


class NoReasoner:
    """Takes what modules assert for all there is."""

    name: ReasonerName = "none"
    java: int | None = None
    seconds: float | None = 2e-5  # with keeping the closure, measured with Brick and buildings

    def close(
        self, modules: Sequence[Module], prefixes: Mapping[str, str], limits: ClosureLimits, told: Telling = untold
    ) -> Closure:
        """What the modules assert."""
        del prefixes, limits, told  # there is nothing to say, and nothing follows
        return Closure.of_assertions(modules)
