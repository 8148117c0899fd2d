"""The states of a running engine's queries, asked from Python or by another process (`kaicep ask`)."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from ...archive import Archive
from ...config import Settings
from ...errors import KaicepError, PipelineError
from ..asking import answer_at, asked_border, compile_asked
from ..durability import CheckpointedFlow, StoppedFlow, flow_at_stop
from ..flow import Registration
from ..results import Rows
from .requests import Requests, RequestServer

__all__ = ["StateAdmin", "asking_folder", "rows_told"]


class StateAdmin:
    """What the queries of an engine hold.

    Args:
        flow: of the engine.
        archive: whose log has the events; `None`: it is switched off.
        between_batches: holds off the next batch; what is done within takes no time to speak of.
        registered: gives the queries, those among them that wait for a batch.
        say: takes a line of the log.

    Raises:
        PipelineError: another engine runs this project.
    """

    def __init__(
        self,
        flow: CheckpointedFlow,
        archive: Archive | None,
        between_batches: AbstractContextManager[object],
        registered: Callable[[], Sequence[Registration]],
        say: Callable[[str], None],
    ) -> None:
        self._flow, self._archive, self._between = flow, archive, between_batches
        self._registered, self._say = registered, say
        self._requests = Requests(asking_folder(flow.project.settings))
        self._requests.serve()
        self._server = RequestServer(self._requests, self._answered, "kaicep-states")

    def close(self) -> None:
        """Answer no more."""
        self._server.close()
        self._requests.lock.release()

    def ask(self, text: str, source: str = "query") -> Rows:
        """See `StreamingEngine.ask`.

        Args:
            text: of the query.
            source: what it is called in messages.
        """
        if self._archive is None:
            raise PipelineError("no log has the events of states", hint="set archive.enabled")
        with self._between:
            known = self._at_border()
        known = known or self._at_stop()
        project = self._flow.project
        queries = [one.query for one in known.dataflow.flows.values()]
        parked = [one for one in known.parked if not one.resuming]
        asked = compile_asked(project, text, source, queries, parked)
        with self._between:
            now = self._at_border() or known
            border = asked_border(now.dataflow, asked, now.last)
        return answer_at(project, asked, border, self._archive, self._flow.versions)

    def _at_border(self) -> StoppedFlow | None:
        """Where the engine is, while no batch is at work; `None`: only what is durable tells."""
        flow = self._flow
        if not flow.at_border or flow.dataflow.ended:  # none was done since it was entered, or the last one has failed
            return None
        return StoppedFlow(flow.dataflow, flow.done, flow.queries.parked)

    def _at_stop(self) -> StoppedFlow:
        return flow_at_stop(self._flow.project, self._registered(), self._say)

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
