"""`kaicep replay`: recorded events to where live ones come from, at the pace of their time stamps."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...errors import PipelineError, did_you_mean
from ..completion import project_paths, stream_names
from ..options import Quiet
from ..terminal import log, tell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime

    from ...config import Settings, StreamSettings
    from .replay_pace import ReplayPace
    from .replay_patience import ReplayPatience
    from .replay_target import ReplayTarget, TargetSpec

    _Batches = Callable[
        [Callable[[float, float | None], None], frozenset[str]],
        Iterator[tuple[list[dict[str, Any]], list[datetime | None]]],
    ]

app = typer.Typer()

_LOCAL = "events"
"""What the stream of events is called that no project knows."""


@app.command(
    epilog="Examples: `kaicep replay day.csv --speed 60x --to mqtt://localhost/building/{room}/temperature --time at`, "
    "`kaicep replay readings.parquet -p campus/ --rate 5000/s --to http://localhost:8080/streams/reading/events`"
)
def replay(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE…", help="CSV, JSON lines or Parquet; a folder or a pattern of them.")
    ],
    *,
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="URL",
            help="mqtt://BROKER/TOPIC/{ATTRIBUTE}, kafka://BROKER/TOPIC, or http://SERVER/streams/NAME/events.",
        ),
    ],
    speed: Annotated[
        str | None,
        typer.Option(
            "--speed",
            metavar="FACTOR",
            help="60x: a minute in a second; max: as fast as they are taken; without it and --rate, 1x.",
        ),
    ] = None,
    rate: Annotated[
        str | None,
        typer.Option("--rate", metavar="N/s", help="So many events a second instead, whatever their time stamps are."),
    ] = None,
    project: Annotated[
        Path | None,
        typer.Option(
            "--project", "-p", metavar="PROJECT", help="Says how files are read.", autocompletion=project_paths
        ),
    ] = None,
    stream: Annotated[
        str | None,
        typer.Option("--stream", metavar="NAME", help="Of the project's streams.", autocompletion=stream_names),
    ] = None,
    time: Annotated[
        str | None, typer.Option("--time", metavar="COLUMN", help="The time stamps, without a project or instead.")
    ] = None,
    key: Annotated[
        str | None, typer.Option("--key", metavar="COLUMN", help="The key of records in Kafka, instead of in them.")
    ] = None,
    token: Annotated[
        str | None, typer.Option("--token", metavar="WHERE", help="Of a server: env:NAME or file:PATH.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Send recorded events to a broker, to Kafka or to a server, as far apart as their time stamps are, or evenly.

    Files follow one another. Each event is sent with QoS 1, acknowledged by all replicas, or durable at the server
    before the next ones are. Ctrl-C ends it, and says how many were sent.
    """
    from .replay_target import TargetSpec

    pace = _pace(speed, rate)
    settings, name = _stream(project, stream, time)
    batches = _batches(files, settings.streams[name])
    target = _target(TargetSpec(to, settings, None if project is None else name, key, token))
    sent, latest = 0, None
    try:
        with _progress(files, quiet=quiet) as bar, _patience(to, target, quiet=quiet) as patience:
            for events, moments in batches(bar, target.texts):
                for first, end in pace.groups(moments):
                    with patience.waiting():
                        target.send(events[first:end])
                    sent, latest = sent + end - first, moments[end - 1] or latest
    finally:
        target.close()
        if not quiet:
            upto = "" if latest is None else f", the last one of {latest.isoformat()}"
            tell(f"{sent:,} events sent{upto}")


def _pace(speed: str | None, rate: str | None) -> ReplayPace:
    from .replay_pace import ReplayPace, parse_rate, parse_speed

    if rate is None:
        return ReplayPace(parse_speed(speed or "1x"))
    if speed is not None:
        raise typer.BadParameter("goes without --speed: name one of them", param_hint="--rate")
    return ReplayPace(None, parse_rate(rate))


def _stream(project: Path | None, stream: str | None, time: str | None) -> tuple[Settings, str]:
    """The settings, and the stream in them that says how files are read."""
    from ...config import Settings

    if project is None:
        if time is None:
            message = "is missing: name the column of time stamps, or a project with --project"
            raise typer.BadParameter(message, param_hint="--time")
        own = {"event_type": "<urn:kaicep:event>", "time": {"attribute": time}}
        return Settings.parse({"streams": {_LOCAL: own}}), _LOCAL
    settings = Settings.load(project)
    names = list(settings.streams)
    if stream is None and len(names) != 1:
        raise typer.BadParameter(f"is missing: NAME is {' or '.join(names) or 'none'}", param_hint="--stream")
    name = stream or names[0]
    if name not in names:
        hint = did_you_mean(name, names) or f"its streams: {', '.join(names)}"
        raise PipelineError(f"the project has no stream '{name}'", hint=hint)
    if time is not None:
        of = settings.streams[name]
        timed = of.model_copy(update={"time": of.time.model_copy(update={"attribute": time})})
        settings = settings.model_copy(update={"streams": {**settings.streams, name: timed}})
    return settings, name


def _batches(files: Sequence[str], stream: StreamSettings) -> _Batches:
    """The events of files and their time stamps; told how much is read of how much, and which attributes are texts."""
    from ...pipeline.sources import file_format, list_files, read_batches

    paths = [path for file in files for path in list_files(Path(file))]
    lacking = next((path for path in paths if not path.exists()), None)
    if lacking is not None:
        raise PipelineError(f"cannot read {lacking}: No such file or directory", hint="name a file that is there")
    total = sum(path.stat().st_size for path in paths)

    def batches(
        told: Callable[[float, float | None], None], texts: frozenset[str]
    ) -> Iterator[tuple[list[dict[str, Any]], list[datetime | None]]]:
        before = 0
        known = texts | {name for name, attribute in stream.attributes.items() if attribute.has_texts()}
        for path in paths:
            numbers = path.is_file() and file_format(path, stream) == "csv"
            for batch in read_batches(path, stream):
                for wrong in batch.malformed:
                    tell(f"{wrong.place}: {wrong.reason}; it is not sent")
                told(before, total)
                yield _events(batch.table.to_pylist(), known if numbers else None), _moments(batch.table, stream)
            before += path.stat().st_size

    return batches


def _events(rows: Sequence[Mapping[str, Any]], texts: frozenset[str] | None) -> list[dict[str, Any]]:
    """Rows as JSON has them, without what they do not have.

    Args:
        rows: of a file.
        texts: of CSV, the attributes that are no numbers, whatever they look like; `None`: the file knows.
    """

    def read(name: str, value: Any) -> Any:
        return _as_it_is(value) if texts is None or name in texts else _number(value)

    return [{name: read(name, value) for name, value in row.items() if value is not None} for row in rows]


_JSON = (str, int, bool, type(None))
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d+)?(?:[eE][+-]?\d{1,2})?")


def _as_it_is(value: Any) -> Any:
    if isinstance(value, _JSON) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if isinstance(value, list):
        return [_as_it_is(item) for item in value]
    if isinstance(value, dict):
        return {name: _as_it_is(item) for name, item in value.items()}
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _number(value: Any) -> Any:
    """CSV knows texts only: those that JSON would have as numbers are numbers."""
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return json.loads(value)
    return _as_it_is(value)


def _moments(table: Any, stream: StreamSettings) -> list[datetime | None]:
    from ...annotator import cast_time

    name = stream.time.attribute
    if name not in table.column_names:
        known = ", ".join(table.column_names) or "none"
        raise PipelineError(f"there is no column '{name}'", hint=f"name another one with --time; there are: {known}")
    values: list[datetime | None] = cast_time(table[name], stream.time).values.to_list()
    return values


def _target(spec: TargetSpec) -> ReplayTarget:
    scheme = spec.url.partition("://")[0]
    match scheme:
        case "mqtt" | "mqtts":
            from .mqtt_target import MqttTarget

            return MqttTarget(spec)
        case "kafka":
            from .kafka_target import KafkaTarget

            return KafkaTarget(spec)
        case "http" | "https":
            from .http_target import HttpTarget

            return HttpTarget(spec)
        case _:
            message = f"'{spec.url}' is no place; it begins with mqtt://, mqtts://, kafka://, http:// or https://"
            raise typer.BadParameter(message, param_hint="--to")


def _progress(files: Sequence[str], *, quiet: bool) -> Any:
    from ..progress_bar import ProgressBar

    return ProgressBar(log(), f"sending {', '.join(files)}", quiet=quiet)


def _patience(url: str, target: ReplayTarget, *, quiet: bool) -> ReplayPatience:
    from .replay_patience import ReplayPatience

    receiver = re.sub(r"//[^/@]*@", "//", url).partition("?")[0]  # without what opens it
    return ReplayPatience(receiver, target.patience, tell if not quiet else lambda _: None)
