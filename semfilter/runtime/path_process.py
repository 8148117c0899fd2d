"""PATHs that may take long, in a process of their own: Oxigraph takes no sign to stop, and a process does.

The process has a copy of the closure, and is there as long as the knowledge is (docs/decisions/171).
"""

from __future__ import annotations

import pickle
import threading
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import pyoxigraph as ox

from ...errors import CeilingError
from ...ontology import KnowledgeBase
from ...storage import MOST_MEMORY, ChildProcess, serve_parent
from ..plan import ResidualQuery
from .evaluate import KeyEvent, ScratchStore, Solution, evaluate_events
from .materialised_verdicts import materialised_solutions

__all__ = ["PathProcess"]

_STARTING_S = 120.0
_LITTLE_MEMORY = "see whether the machine has memory left"


class PathProcess:
    """Evaluates PATHs over one knowledge base, one after the other; `of` gives it, and it begins when it is asked."""

    _of: ClassVar[WeakKeyDictionary[KnowledgeBase, PathProcess]] = WeakKeyDictionary()
    _making: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self) -> None:
        self._folder = TemporaryDirectory(prefix="kaicep-paths-", ignore_cleanup_errors=True)
        self._store: Path | None = None
        self._asking = threading.Lock()
        self._child: ChildProcess | None = None

    @classmethod
    def of(cls, knowledge: KnowledgeBase) -> PathProcess:
        """The process of a knowledge base."""
        with cls._making:
            if knowledge not in cls._of:
                cls._of[knowledge] = cls()
            return cls._of[knowledge]

    @classmethod
    def end(cls, knowledge: KnowledgeBase) -> None:
        """End what is being evaluated over a knowledge base; whoever waits for it meets an error."""
        with cls._making:
            found = cls._of.get(knowledge)
        if found is not None:
            found.kill()

    def kill(self) -> None:
        """End what is being evaluated, from any thread."""
        child = self._child
        if child is not None:
            child.kill()

    def materialised(
        self, knowledge: KnowledgeBase, residual: ResidualQuery, most: int, timeout: float
    ) -> dict[tuple[str, ...], list[Solution]] | None:
        """As `materialised_solutions`.

        Raises:
            CeilingError: it takes longer than `timeout` seconds, or too much memory.
        """
        found: dict[tuple[str, ...], list[Solution]] | None = self._ask(knowledge, ("all", residual, most), timeout)
        return found

    def evaluate(
        self,
        knowledge: KnowledgeBase,
        residual: ResidualQuery,
        events: Sequence[KeyEvent],
        timeout: float,
        *,
        buffer: bool,
    ) -> list[list[Solution]]:
        """As `evaluate_events`.

        Raises:
            CeilingError: it takes longer than `timeout` seconds, or too much memory.
        """
        found: list[list[Solution]] = self._ask(knowledge, ("events", residual, tuple(events), buffer), timeout)
        return found

    def _ask(self, knowledge: KnowledgeBase, request: tuple[object, ...], timeout: float) -> Any:
        with self._asking:
            connection = self._connected(knowledge)
            try:
                connection.send(request)
                if connection.poll(timeout):
                    return connection.recv()
            except (EOFError, OSError, pickle.UnpicklingError) as error:
                raise CeilingError(
                    "the process of this PATH ended: it needs too much memory, or was stopped",
                    hint="tie its triples closer to the event, so that it has fewer solutions",
                ) from error
            self._stop()
            raise CeilingError(
                f"this PATH takes longer than {timeout:g} s",
                hint="tie its triples closer to the event, with classes and properties in the place of variables, or "
                "raise path_timeout in [engine]",
            )

    def _connected(self, knowledge: KnowledgeBase) -> Connection:
        """The end of a pipe at whose other end the process waits for a request."""
        if self._child is not None and self._child.runs:
            return self._child.connection
        self._stop()
        store = self._store = self._store or knowledge.files(Path(self._folder.name))
        self._child = ChildProcess(lambda number: _words(number, store))
        own = self._child.connection
        if not own.poll(_STARTING_S):
            self._stop()
            raise CeilingError("the process of this PATH does not start", hint=_LITTLE_MEMORY)
        try:
            own.recv()
        except EOFError as error:
            self._stop()
            raise CeilingError("the process of this PATH ended at once", hint=_LITTLE_MEMORY) from error
        return own

    def _stop(self) -> None:
        if self._child is not None:
            self._child.close()
        self._child = None


def _words(number: int, store: Path) -> list[str]:
    return ["-c", f"from {__name__} import main; main{number, str(store), MOST_MEMORY}"]


def main(number: int, store: str, memory: int) -> None:
    """Answer requests; what the process runs.

    Args:
        number: of the file that is its end of the pipe.
        store: folder of the closure.
        memory: bytes that this process may have.
    """
    serve_parent(memory)
    closure = ox.Store()
    closure.bulk_extend(ox.Store.read_only(store))
    knowledge = KnowledgeBase.of_store(closure)
    connection = Connection(number)
    connection.send(None)
    while True:
        try:
            request = connection.recv()
        except EOFError:
            return
        connection.send(_answer(knowledge, *request))


def _answer(knowledge: KnowledgeBase, what: str, residual: ResidualQuery, *rest: Any) -> object:
    if what == "all":
        return materialised_solutions(residual, knowledge.store, *rest)
    events, buffer = rest
    return evaluate_events(residual, ScratchStore.of(knowledge), events, buffer=buffer)
