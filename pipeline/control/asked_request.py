"""A request that an engine is at work on: whoever asked hears how far it is, and may withdraw it before it counts.

Its file is `<id>.taken`. How far it is stands in `<id>.told`, for whoever asked to read. Whoever asked withdraws it by
removing the file; before anything changes that stays, the engine renames it to `<id>.settled`. One of the two finds it
gone: there is no moment at which both believe to have had their way.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from ...errors import PipelineError
from ...storage import SETTLED, Telling, is_running, write_atomically

__all__ = ["OPEN", "AskedRequest", "asker", "hear", "withdraw"]

_REQUEST, _TAKEN, _TOLD, _SETTLED, _ANSWER = ".request", ".taken", ".told", ".settled", ".answer"
OPEN = (_REQUEST, _TAKEN, _SETTLED, _ANSWER)
"""In one of these a request is until whoever asked has its answer; it leaves the first ones before it is the next."""

At = tuple[str, float]


class AskedRequest:
    """A request while it is done.

    Args:
        taken: its file.
    """

    def __init__(self, taken: Path) -> None:
        self._taken, self._told = taken, ("", 0.0)

    def tell(self, stage: str, share: float) -> None:
        """Tell how far it is; see `Telling`.

        Args:
            stage: `SETTLED`: it is done now, whatever happens.
            share: of it that is done.

        Raises:
            PipelineError: nobody waits for it any more, so that it is not to be done.
        """
        if stage == SETTLED:
            self._settle()
        elif not (self._taken.exists() and is_running(asker(self._taken))):
            raise _unwanted()
        if self._told != (stage, share):
            self._told = (stage, share)
            with write_atomically(self._taken.with_suffix(_TOLD)) as temporary:
                temporary.write_text(json.dumps(self._told), encoding="utf-8")

    def _settle(self) -> None:
        settled = self._taken.with_suffix(_SETTLED)
        if settled.exists():
            return
        if not is_running(asker(self._taken)):
            self._taken.unlink(missing_ok=True)
        try:
            self._taken.rename(settled)
        except FileNotFoundError as error:
            raise _unwanted() from error


def hear(request: Path, heard: At, told: Telling) -> At:
    """Pass on how far a request is, if that is news.

    Args:
        request: its file, as it was written.
        heard: what was passed on last.
        told: hears it.

    Returns:
        What was told last.
    """
    at = heard
    with suppress(OSError, ValueError):
        stage, share = json.loads(request.with_suffix(_TOLD).read_text(encoding="utf-8"))
        at = str(stage), float(share)
    if at != heard:
        told(*at)
    return at


def withdraw(folder: Path, process: int) -> bool:
    """Withdraw what a process has asked.

    Args:
        folder: of the requests.
        process: that asks; to be sure, it stands still.

    Returns:
        Whether nothing of it is done; otherwise an engine does it, whatever happens.
    """
    for suffix in (_REQUEST, _TAKEN):  # in the order in which it is called so
        for request in folder.glob(f"*-{process}{suffix}"):
            request.unlink(missing_ok=True)
    return not any(True for suffix in (_SETTLED, _ANSWER) for _ in folder.glob(f"*-{process}{suffix}"))


def asker(request: Path) -> str:
    """The number of the process that asks."""
    return request.stem.rpartition("-")[2]


def _unwanted() -> PipelineError:
    return PipelineError("nobody waits for it any more", hint="nothing has changed")
