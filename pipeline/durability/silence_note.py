"""How long streams have been silent while an engine listened, over restarts (docs/decisions/186).

A note in the state, renewed every few seconds. It says nothing that a replay needs: where watermarks were moved
is in the log. Without it silence is counted from the start.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from ...storage import write_atomically
from ..flow import IdleStreams, Silence

__all__ = ["SilenceNote"]

_RENEWED_S = 10.0


class SilenceNote:
    """One engine's note.

    Args:
        path: of its file, whose folder is there.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._idle: IdleStreams | None = None
        self._kept: float | None = None

    def take_up(self, idle: IdleStreams, newest: Mapping[str, datetime | None]) -> None:
        """Let the silence go on that an earlier engine has heard, of streams that have brought nothing newer since.

        Args:
            idle: asked for once, with the first batch; the streams have begun to be listened to.
            newest: by stream, the greatest time stamp.
        """
        if idle is self._idle:
            return
        self._idle = idle
        try:
            content = json.loads(self._path.read_text(encoding="utf-8"))
            known = {name: (_moment(at), Silence(float(s), _moment(since))) for name, (at, s, since) in content.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return
        idle.resume(
            {name: silence for name, (at, silence) in known.items() if at is not None and at == newest.get(name)}
        )

    def keep(self, newest: Mapping[str, datetime | None], *, ends: bool = False) -> None:
        """Note how long streams have been silent by now, if it is long ago that this was noted, or the engine ends.

        Args:
            newest: by stream, the greatest time stamp.
            ends: the engine listens no more.
        """
        if self._idle is None:
            return
        now = self._idle.now
        known = {name: (newest[name], s) for name, s in self._idle.silences.items() if newest.get(name) is not None}
        if not known or (not ends and self._kept is not None and now - self._kept < _RENEWED_S):
            return
        self._kept = now
        content = {name: (_text(at), s.seconds, _text(s.since)) for name, (at, s) in known.items()}
        with suppress(OSError), write_atomically(self._path, sync_folder=False) as temporary:
            temporary.write_text(json.dumps(content), encoding="utf-8")


def _text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
