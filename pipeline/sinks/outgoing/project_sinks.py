"""The sinks of a project file, as receivers of what waits in the engine's outbox."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from contextlib import closing
from functools import partial
from typing import Any

from ....config import Settings
from ....settings.sinks import SinkSettings
from ...actions import ACTIONS, Action, ActionSpec, Receiver
from .console_action import ConsoleAction
from .lines_action import LinesAction
from .parquet_action import ParquetAction
from .row_action import RowAction
from .sql_action import SqlAction

__all__ = ["KINDS", "check_sink", "sink_receivers"]

KINDS: Mapping[str, Callable[[ActionSpec, Any], Action]] = {
    **{kind: ACTIONS[kind] for kind in ("webhook", "mqtt", "kafka")},
    "sql": SqlAction,
    "jsonl": LinesAction,
    "parquet": ParquetAction,
}
"""Kind → what makes an action of it; for a console it takes prefixes besides."""


def sink_receivers(settings: Settings) -> dict[str, Receiver]:
    """Who takes the rows of a project's sinks, by `[sinks.NAME]`.

    Args:
        settings: of the project.
    """
    specs = {f"sinks.{name}": (_spec(settings, name, sink), sink) for name, sink in settings.sinks.items()}
    prefixes = settings.prefixes
    return {
        name: Receiver(spec.settings, partial(_made, spec, sink, prefixes, {})) for name, (spec, sink) in specs.items()
    }


def check_sink(settings: Settings, name: str) -> None:
    """See whether a sink could be begun.

    Raises:
        ConfigError: it lacks a library, a secret, or what its settings name.
    """
    sink = settings.sinks[name]
    with closing(_made(_spec(settings, name, sink), sink, settings.prefixes, {})) as action:
        action.check()


def _spec(settings: Settings, name: str, sink: SinkSettings) -> ActionSpec:
    return ActionSpec(f"sinks.{name}", sink.delivery, settings.root, settings.file)


def _made(
    spec: ActionSpec, sink: SinkSettings, prefixes: Mapping[str, str], refused: MutableMapping[str, int]
) -> Action:
    inner = ConsoleAction(prefixes) if sink.console else KINDS[sink.kind](spec, getattr(sink, sink.kind))
    return RowAction(inner, sink.tries, refused)
