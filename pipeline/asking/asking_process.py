"""What is asked of a running engine, answered in a process of its own: whatever it takes, no batch waits for it.

It reads what is durable, as of a stopped engine: of a running one that is the border behind the last batch that was
done. It begins with the first question, and ends when nobody has asked for a while (docs/decisions/301).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from multiprocessing.connection import Connection

import pyarrow as pa

from ...config import Settings
from ...errors import KaicepError, PipelineError, error_fields, error_of
from ...ontology import KnowledgeBase
from ...storage import ChildProcess, serve_parent
from ..catalog import Catalog
from ..flow import Registration
from ..knowledge import modules_in_force
from ..results import Rows
from .fair_pauses import FairPauses
from .stopped_states import ask_stopped

__all__ = ["AskingProcess", "answered", "main"]

_STARTING_S = 120.0
_IDLE_S = 300.0
_LOOK_S = 0.02
_MORE_NICE = 14
"""Beside what `serve_parent` gives way by: it gets what nobody else wants."""
_NOT_STARTED = PipelineError(
    "the process that answers does not start", hint="see whether the machine has memory left, and ask again"
)


class AskingProcess:
    """Answers one question after the other, about the engine of one project.

    Args:
        say: takes a line about what was found damaged.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._asking = threading.Lock()
        self._child: ChildProcess | None = None
        self._pauses: FairPauses | None = None
        self._knowledge: KnowledgeBase | None = None

    def ask(self, project: Catalog, queries: Sequence[Registration], text: str, source: str) -> Rows:
        """See `ask_stopped`.

        Raises:
            KaicepError: as there, or the process has ended.
        """
        with self._asking:
            connection = self._connected(project)
            try:
                connection.send((text, source, list(queries)))
                while not connection.poll(_LOOK_S):
                    self._end_overdue()
                found, said = connection.recv()
            except (EOFError, OSError) as error:
                self._stop()
                raise PipelineError(
                    "the process that answers has ended: it needs too much memory, or was stopped",
                    hint="ask for less at once, or again",
                ) from error
        for line in said:
            self._say(line)
        if isinstance(found, bytes):
            with pa.ipc.open_stream(pa.py_buffer(found)) as reader:
                return Rows(reader.read_all(), dict(project.settings.prefixes))
        raise error_of(found)

    def standing_still(self) -> AbstractContextManager[None]:
        """Let the process stand still meanwhile, from any thread; for no longer than it has gone on before."""
        pauses = self._pauses
        return nullcontext() if pauses is None else pauses.during()

    def close(self) -> None:
        """End it; whoever waits for an answer meets an error."""
        child = self._child
        if child is not None:
            child.kill()
        with self._asking:
            self._stop()

    def _connected(self, project: Catalog) -> Connection:
        """The end of a pipe at whose other end the process waits for a question."""
        if self._child is not None and self._child.runs and self._knowledge is project.knowledge:
            return self._child.connection
        self._stop()
        self._child, self._knowledge = ChildProcess(_words, stops=True), project.knowledge
        own = self._child.connection
        try:
            own.send(project.settings)
            refusal = own.recv() if own.poll(_STARTING_S) else error_fields(_NOT_STARTED)
        except (EOFError, OSError):
            refusal = error_fields(_NOT_STARTED)
        if refusal is not None:
            self._stop()
            raise error_of(refusal)
        self._pauses = FairPauses(self._child)
        return own

    def _end_overdue(self) -> None:
        if self._pauses is not None:
            self._pauses.end_overdue()

    def _stop(self) -> None:
        if self._child is not None:
            self._child.close()
        self._child = self._pauses = None


def _words(number: int) -> list[str]:
    return ["-c", f"from {__name__} import main; main({number})"]


def main(number: int) -> None:
    """Answer questions until nobody asks; what the process runs.

    Args:
        number: of the file that is its end of the pipe.
    """
    serve_parent()
    _give_way()
    connection = Connection(number)
    settings: Settings = connection.recv()
    try:
        project = Catalog.over(settings, modules_in_force(settings))
    except KaicepError as error:
        connection.send(error_fields(error))
        return
    connection.send(None)
    while connection.poll(_IDLE_S):
        try:
            connection.send(answered(project, *connection.recv()))
        except EOFError:
            return


def _give_way() -> None:
    """Run when nobody else wants a processor; where the system cannot have it so, with the least of their shares."""
    os.nice(_MORE_NICE)
    if hasattr(os, "SCHED_IDLE"):
        with suppress(OSError):  # sandboxes refuse it
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def answered(project: Catalog, text: str, source: str, queries: Sequence[Registration]) -> tuple[object, Sequence[str]]:
    """The rows of an answer as an Arrow stream, or the fields of an error; and lines about what was found damaged.

    Args:
        project: of the engine.
        text: of the query that is asked.
        source: what it is called in messages.
        queries: those that the engine has.
    """
    said: list[str] = []
    try:
        rows = ask_stopped(project, text, source, queries, said.append)
    except KaicepError as error:
        return error_fields(error), said
    except Exception as error:  # noqa: BLE001 - whoever asked has to hear of it, and the engine goes on
        return error_fields(PipelineError(f"it cannot be done: {error!r}", hint="what is registered goes on")), said
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.table.schema) as writer:
        writer.write_table(rows.table)
    return sink.getvalue().to_pybytes(), said
