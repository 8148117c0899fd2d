"""A recorded building, live: served with its page, its readings posted at the pace of their time stamps, or faster."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from ...errors import PipelineError
from ..terminal import tell

__all__ = ["run_live_demo", "shortened"]

_LONGEST_PAUSE = timedelta(hours=1)


def run_live_demo(folder: Path | None, speed: str, port: int) -> None:
    """Serve the control room of a building, and post its readings until the process is told to end.

    The next call with the same folder goes on with the reading behind the last one that the server had.

    Args:
        folder: of the project; made if it is missing. `None`: a temporary one.
        speed: so much faster than it happened, such as `60x`; `max`: as fast as the server takes it.
        port: that is listened at; 0: one that is free.

    Raises:
        typer.BadParameter: `speed` is none.
        PipelineError: the folder holds another project, or the port is taken.
    """
    from .replay_pace import parse_speed

    factor = parse_speed(speed)
    with ExitStack() as stack:
        _serve(folder or Path(stack.enter_context(TemporaryDirectory(prefix="kaicep-demo-"))), factor, port)


def _serve(folder: Path, speed: float | None, port: int) -> None:
    from ... import server
    from ...config import Settings
    from ...examples import control_room

    project = folder / "kaicep.toml"
    if not project.exists():
        tell("writing three days of readings of the SDE4 building, Singapore")
        control_room.prepare(folder)
    settings = Settings.load(project)
    if not {control_room.READING, control_room.DESK} <= settings.streams.keys():
        raise PipelineError(f"{folder} holds another project", hint="name another folder with --folder")
    settings = settings.model_copy(update={"server": settings.server.model_copy(update={"port": port})})
    engine = [sys.executable, "-m", "kaicep", "run", str(project), "--quiet", "--out", str(folder / "matches.jsonl")]
    server.serve(settings, engine, tell, lambda url: _post(folder, speed, url))


def _post(folder: Path, speed: float | None, url: str) -> None:
    """Post readings, and that nothing is said at the desk, moment by moment; each is noted when it is acknowledged.

    What was posted and not noted is posted again, and known by its identity.
    """
    from ...examples import control_room
    from ...storage import write_atomically
    from .http_target import HttpTarget
    from .replay_pace import ReplayPace
    from .replay_target import TargetSpec

    noted = folder / "var" / "posted.txt"
    readings = control_room.readings(noted.read_text(encoding="utf-8") if noted.exists() else None)
    moments = readings.partition_by("timestamp", maintain_order=True)
    times: list[str] = [moment["timestamp"][0] for moment in moments]
    reading, desk = (
        HttpTarget(TargetSpec(f"{url}/streams/{name}/events")) for name in (control_room.READING, control_room.DESK)
    )
    tell(f"the building is at {url}{'' if speed is None else f', {speed:g} times as fast as it was'}; Ctrl-C stops it")
    try:
        for first, end in ReplayPace(speed).groups(shortened(times)):
            for number in range(first, end):
                reading.send(moments[number].to_dicts())
                desk.send([{"at": times[number], "says": "nothing"}])
                with write_atomically(noted) as temporary:
                    temporary.write_text(times[number], encoding="utf-8")
        tell("the recording has ended; without its folder the next start begins anew")
    except PipelineError as error:
        tell(str(error))


def shortened(times: Sequence[str]) -> list[datetime]:
    """Moments as far apart as those of time stamps, but never more than an hour.

    Nobody looks at a page on which nothing comes: without that, a weekend lasts 48 minutes.

    Args:
        times: ISO 8601 with a zone, in order.
    """
    moments = [datetime.fromisoformat(time) for time in times]
    left_out = timedelta(0)
    found = moments[:1]
    for before, moment in pairwise(moments):
        left_out += max(timedelta(0), moment - before - _LONGEST_PAUSE)
        found.append(moment - left_out)
    return found
