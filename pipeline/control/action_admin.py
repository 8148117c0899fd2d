"""The actions of a running engine, and what other processes ask of them: that dead letters go out again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from ...config import Settings
from ...errors import KaicepError, PipelineError
from ..actions import CallDelivery, EngineHost, outbox_folder, receivers_of
from ..flow.rules import CALLS
from ..sinks.outgoing import RowCalls, sink_receivers
from .folder_watch import FolderWatch
from .requests import Requests, RequestServer

__all__ = ["ActionAdmin", "asked_of", "has_actions"]


class ActionAdmin:
    """The calls of a running engine.

    Args:
        settings: of the project.
        say: takes a line of the log.
        engine: that its actions may ask; `None`: none.
        watch: looks for requests; `None`: one of its own.

    Attributes:
        calls: on their way.
        rows: for the sinks of the project, which take the same way; `None`: it has none.

    Raises:
        PipelineError: another engine runs this project.
        ConfigError: an action lacks what it needs.
    """

    def __init__(
        self,
        settings: Settings,
        say: Callable[[str], None],
        engine: EngineHost | None = None,
        watch: FolderWatch | None = None,
    ) -> None:
        self._say = say
        folder = outbox_folder(settings.path(settings.engine.state))
        self._requests = Requests(folder)
        self._requests.serve()
        try:
            receivers = {**receivers_of(settings, engine), **sink_receivers(settings)}
            self.calls = CallDelivery(folder, receivers, CALLS)
        except BaseException:
            self._requests.lock.release()
            raise
        wanted = {f"sinks.{name}": sink.queries for name, sink in settings.sinks.items()}
        self.rows = RowCalls(self.calls, CALLS, wanted) if wanted else None
        self._server = RequestServer(
            self._requests, lambda content, _: self._answered(content), "kaicep-actions", watch
        )

    def close(self) -> None:
        """Answer no more, hand on what is due, and let another process have the outbox."""
        self._server.close()
        self.calls.close()
        self._requests.lock.release()

    def _answered(self, content: Mapping[str, Any]) -> object:
        try:
            found = asked_of(self.calls, content)
        except KaicepError as error:
            return error
        except Exception as error:  # noqa: BLE001 - whoever asked has to hear of it, and the engine goes on
            return PipelineError(f"the engine cannot do it: {error!r}", hint="what has failed is kept")
        if "retry" in content:
            self._say(f"actions: {found} calls that had failed go out again")
        return found


def asked_of(calls: CallDelivery, content: Mapping[str, Any]) -> object:
    """What is asked of an outbox, as a JSON value: how many calls go out again, or what waits or has failed."""
    match content:
        case {"retry": action, "rule": rule}:
            return calls.retry(action, rule)
        case {"failed": True}:
            return [asdict(call) for call in calls.failed()]
        case _:
            return [
                {"action": lane.action, "rule": lane.rule, "waiting": count, "why": calls.why(lane)}
                for lane, count in sorted(calls.waiting().items())
            ]


def has_actions(settings: Settings) -> bool:
    """Whether a project has actions or sinks, or had some for which something waits still."""
    return bool(settings.actions or settings.sinks) or outbox_folder(settings.path(settings.engine.state)).exists()
