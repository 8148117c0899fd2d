"""The states of a running engine's queries, asked from Python or by another process (`kaicep ask`)."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from ...config import Settings
from ...errors import KaicepError, PipelineError
from ..asking import AskingProcess
from ..durability import CheckpointedFlow
from ..flow import Registration
from ..results import Rows
from .folder_watch import FolderWatch
from .requests import Requests, RequestServer

__all__ = ["StateAdmin", "asking_folder", "rows_told"]


class StateAdmin:
    """What the queries of an engine hold, as of the last batch that was done; no batch waits for an answer.

    Args:
        flow: of the engine.
        registered: gives the queries, those among them that wait for a batch.
        say: takes a line of the log.
        watch: looks for requests; `None`: one of its own.

    Raises:
        PipelineError: another engine runs this project.
    """

    def __init__(
        self,
        flow: CheckpointedFlow,
        registered: Callable[[], Sequence[Registration]],
        say: Callable[[str], None],
        watch: FolderWatch | None = None,
    ) -> None:
        self._flow, self._registered, self._process = flow, registered, AskingProcess(say)
        self._requests = Requests(asking_folder(flow.project.settings))
        self._requests.serve()
        flow.meanwhile = self._process.standing_still
        self._server = RequestServer(self._requests, lambda content, _: self._answered(content), "kaicep-states", watch)

    def close(self) -> None:
        """Answer no more."""
        self._process.close()
        self._server.close()
        self._requests.lock.release()

    def ask(self, text: str, source: str = "query") -> Rows:
        """See `StreamingEngine.ask`.

        Args:
            text: of the query.
            source: what it is called in messages.
        """
        project = self._flow.project
        if not project.settings.archive.enabled:
            raise PipelineError("no log has the events of states", hint="set archive.enabled")
        return self._process.ask(project, self._registered(), text, source)

    def _answered(self, content: Mapping[str, Any]) -> object:
        try:
            rows = self.ask(str(content["ask"]), str(content["source"]))
        except KaicepError as error:
            return error
        except Exception as error:  # noqa: BLE001 - whoever asked has to hear of it, and the engine goes on
            return PipelineError(f"the engine cannot do it: {error!r}", hint="what is registered goes on")
        return _told(rows)


def asking_folder(settings: Settings) -> Path:
    """Where queries that are asked once are put for a running engine."""
    return settings.path(settings.engine.state) / "asking"


def _told(rows: Rows) -> str:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.table.schema) as writer:
        writer.write_table(rows.table)
    return b64encode(sink.getvalue()).decode()


def rows_told(answer: str, prefixes: Mapping[str, str]) -> Rows:
    """The rows that another process has answered."""
    with pa.ipc.open_stream(pa.py_buffer(b64decode(answer))) as reader:
        return Rows(reader.read_all(), MappingProxyType(dict(prefixes)))
