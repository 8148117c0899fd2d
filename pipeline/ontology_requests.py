"""How another process asks a running engine to change its ontology modules: small files in the engine's state.

A request is `requests/<id>.request`; the engine that takes it makes it `<id>.taken` and answers with `<id>.answer`.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..archive.lock import ProcessLock
from ..archive.replacing import replacing
from ..errors import KaicepError, OntologyError, PipelineError, Place

__all__ = ["Requests"]

_POLL_S = 0.05
_PATIENCE_S = 10.0


class Requests:
    """The requests in an engine's state folder.

    Args:
        folder: of the ontology part of the state.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "requests"
        self.lock = ProcessLock(folder / "lock")

    def engine_runs(self) -> bool:
        """Whether an engine answers requests; if not, this process now holds its place until it releases `lock`."""
        self._folder.mkdir(parents=True, exist_ok=True)
        return not self.lock.acquire()

    def serve(self) -> None:
        """Take the place of the engine; what nobody waits for any more is dropped.

        Raises:
            PipelineError: another engine has it.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        if not self.lock.acquire(_PATIENCE_S):
            raise PipelineError(
                f"{self.lock.holder()} runs this project", hint="stop it first, or choose another state under [engine]"
            )
        for leftover in self._folder.iterdir():
            if not _lives(leftover):
                leftover.unlink(missing_ok=True)

    def ask(self, content: Mapping[str, object]) -> list[str]:
        """Ask the engine and wait for its answer, as lines.

        Raises:
            OntologyError: the engine refuses.
            PipelineError: it ended before it answered.
        """
        request = self._folder / f"{time.time_ns()}-{os.getpid()}.request"
        answer = request.with_suffix(".answer")
        with replacing(request) as temporary:
            temporary.write_text(json.dumps(content), encoding="utf-8")
        try:
            while not answer.exists():
                self._check_engine(request)
                time.sleep(_POLL_S)
            return _lines(json.loads(answer.read_text(encoding="utf-8")))
        finally:
            request.unlink(missing_ok=True)
            answer.unlink(missing_ok=True)

    def waiting(self) -> Iterator[tuple[Path, dict[str, Any]]]:
        """Take the requests that have come, in their order."""
        for request in sorted(self._folder.glob("*.request")):
            try:
                taken = request.rename(request.with_suffix(".taken"))
            except FileNotFoundError:  # withdrawn
                continue
            yield taken, json.loads(taken.read_text(encoding="utf-8"))

    def answer(self, taken: Path, found: list[str] | KaicepError) -> None:
        """Answer a request that was taken."""
        if isinstance(found, KaicepError):
            source = None if found.place is None else str(found.place)
            content: dict[str, object] = {"error": found.message, "hint": found.hint, "source": source}
        else:
            content = {"lines": found}
        with replacing(taken.with_suffix(".answer")) as temporary:
            temporary.write_text(json.dumps(content), encoding="utf-8")
        taken.unlink(missing_ok=True)

    def _check_engine(self, request: Path) -> None:
        gone = not any(request.with_suffix(s).exists() for s in (".request", ".taken", ".answer"))
        if self.lock.acquire():
            self.lock.release()
            gone = True
        if gone and not request.with_suffix(".answer").exists():
            raise PipelineError("the engine ended before it answered", hint="try it again")


def _lives(file: Path) -> bool:
    """Whether the process that asked is there to hear the answer."""
    try:
        os.kill(int(file.stem.rpartition("-")[2]), 0)
    except (ValueError, ProcessLookupError):
        return False
    except PermissionError:
        return True
    return True


def _lines(content: Mapping[str, Any]) -> list[str]:
    if "error" in content:
        place = None if content["source"] is None else Place(content["source"])
        raise OntologyError(content["error"], place=place, hint=content["hint"])
    return list(content["lines"])
