"""What the engine of a project says of itself, whether it runs or has ended."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ...config import Settings
from ...errors import PipelineError
from ...pipeline.control import Requests, folder_of
from ...pipeline.monitoring import EngineState, EngineStatus, read_status, status_file

if TYPE_CHECKING:
    from ..remote import Client

__all__ = ["KnownStatus", "engine_lives", "known_status", "remote_status"]


@dataclass(frozen=True, slots=True)
class KnownStatus:
    """The last status of an engine.

    Attributes:
        status: as it was written.
        lives: whether an engine runs now.
        age: seconds since it was written.
    """

    status: EngineStatus
    lives: bool
    age: float

    @property
    def state(self) -> EngineState:
        """What has become of the engine; `killed`: it ended without a word."""
        if self.lives or self.status.state != "running":
            return self.status.state
        return "killed"

    @property
    def told(self) -> EngineStatus:
        """The status, with what has become of the engine."""
        return replace(self.status, state=self.state)


def known_status(settings: Settings) -> KnownStatus:
    """The last status of a project's engine.

    Raises:
        PipelineError: it has none, or none of this version.
    """
    state = settings.path(settings.engine.state)
    status = read_status(state)
    if status is None:
        raise PipelineError(
            f"no engine has run this project: there is no {status_file(state)}", hint="start one: kaicep run"
        )
    return KnownStatus(status, engine_lives(settings), (datetime.now(UTC) - status.at).total_seconds())


def remote_status(client: Client) -> KnownStatus:
    """The last status of the engine of a server elsewhere.

    Raises:
        KaicepError: it has none, none of this version, or the server does not answer.
    """
    status = client.status()
    return KnownStatus(status, status.state == "running", (datetime.now(UTC) - status.at).total_seconds())


def engine_lives(settings: Settings) -> bool:
    """Whether an engine of a project runs now, or recovers."""
    requests = Requests(folder_of(settings))
    lives = requests.engine_runs()
    requests.lock.release()
    return lives
