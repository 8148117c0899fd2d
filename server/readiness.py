"""Whether a server is ready: its engine has recovered, and reads its streams."""

from __future__ import annotations

from dataclasses import dataclass

from ..api.clients import engine_lives, known_status
from ..config import Settings
from ..errors import PipelineError
from .engine_process import EngineProcess

__all__ = ["Readiness", "readiness_of"]

_SILENT_S = 10.0


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether requests are served in full.

    Attributes:
        ready: they are.
        reason: what is waited for.
    """

    ready: bool
    reason: str | None = None


def readiness_of(settings: Settings, engine: EngineProcess | None) -> Readiness:
    """Whether the engine of a project says that it has recovered and reads its streams.

    Args:
        settings: of the project.
        engine: that the server runs; `None`: it is left to others, and requests are served without one, too.
    """
    if engine is None and not engine_lives(settings):
        return Readiness(ready=True)
    reason = _waits_for(settings, engine)
    return Readiness(ready=reason is None, reason=reason)


def _waits_for(settings: Settings, engine: EngineProcess | None) -> str | None:
    try:
        known = known_status(settings)
    except PipelineError:
        return "the engine begins"
    own = None if engine is None else engine.process
    if not known.lives:
        return (engine.ended if engine is not None else "") or "the engine begins"
    if own is not None and known.status.process != own:
        return "the engine recovers"
    if known.status.state != "running":
        return "the engine recovers" if own is None else known.status.reason or "the engine ends"
    if known.age > _SILENT_S:
        return f"the engine has said nothing for {known.age:.0f} s"
    return None if known.status.reads else "the engine has recovered, and starts Spark"
