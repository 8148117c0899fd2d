"""The client of an engine's actions: asks the running engine if there is one, else opens the outbox itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...config import Settings
from ...errors import ConfigError, Place, did_you_mean
from ...pipeline.actions import CallDelivery, outbox_folder
from ...pipeline.control import Requests, asked_of, has_actions
from ...pipeline.flow.rules import CALLS

__all__ = ["FAILED_COLUMNS", "WAITING_COLUMNS", "failed_calls", "retry_calls", "waiting_calls"]

WAITING_COLUMNS = ("action", "rule", "waiting", "why")
FAILED_COLUMNS = ("action", "rule", "id", "time", "arguments", "tries", "reason", "at")


def waiting_calls(settings: Settings) -> list[dict[str, Any]]:
    """What waits, as rows of `WAITING_COLUMNS`."""
    return list(_asked(settings, {"waiting": True}, []))


def failed_calls(settings: Settings) -> list[dict[str, Any]]:
    """The dead letters, as rows of `FAILED_COLUMNS`."""
    return list(_asked(settings, {"failed": True}, []))


def retry_calls(settings: Settings, action: str | None, rule: str | None) -> list[str]:
    """Let dead letters go out again; what happened, in lines.

    Raises:
        ConfigError: the project has no such action, and nothing has failed of one of that name.
    """
    count = int(_asked(settings, {"retry": action, "rule": rule}, 0))
    known = sorted([*settings.actions, *(f"sinks.{name}" for name in settings.sinks)])
    if action is not None and not count and action not in known:
        hint = did_you_mean(action, known) or f"its actions: {', '.join(known) or 'none'}"
        raise ConfigError(f"there is no action '{action}'", place=Place(settings.file), hint=hint)
    return [f"{count:,} call{'s' * (count != 1)} that had failed go{'es' * (count == 1)} out again"]


def _asked(settings: Settings, content: Mapping[str, object], nothing: Any) -> Any:
    if not has_actions(settings):
        return nothing
    folder = outbox_folder(settings.path(settings.engine.state))
    requests = Requests(folder)
    if requests.engine_runs():
        return requests.ask(content)
    try:
        return asked_of(CallDelivery(folder, {}, CALLS), content)
    finally:
        requests.lock.release()
