"""Checkpoint generations: one Spark checkpoint for as long as it serves (docs/decisions/071, 160)."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from ....config import Settings, SourceSettings
from ....errors import PipelineError
from ....settings import GIVEN
from ....storage import folder_name, make_folder, write_atomically
from ...kafka import Offsets, noted_start
from ...sources import SourceStart
from .spark_checkpoint import SparkCheckpoint

_FILE = "generation.json"
_MANY_FILES = 10_000
_ANEW = "the sources are listed anew, and what was read is passed over"


@dataclass(frozen=True, slots=True)
class Generation:
    """A Spark checkpoint and the number of its first batch in the count that goes on over all generations.

    Attributes:
        checkpoint: Spark's checkpoint folder.
        base: Spark's batch 0 is batch `base`.
        heartbeats: the folder of the source that makes batches without data.
        read: by stream, up to where its topics were read before.
    """

    checkpoint: Path
    base: int
    heartbeats: Path
    read: Mapping[str, Offsets] = field(default_factory=dict)

    @property
    def begun(self) -> int:
        """The last batch that Spark has planned, in our count: if it is not done, it is delivered again.

        One less than the generation's first if there is none.
        """
        return self.base + SparkCheckpoint(self.checkpoint).planned

    def is_worn(self) -> bool:
        """Whether Spark remembers many files, and most of them are gone: begun anew, it forgets them."""
        return _worn(SparkCheckpoint(self.checkpoint)) is not None

    def starts(self, settings: Settings) -> dict[str, SourceStart]:
        """By stream, where sources without files begin to be read."""
        notes = self.checkpoint.parent / "starts"
        return {
            stream: SourceStart(notes / f"{folder_name(stream)}.json", self.read.get(stream, {}))
            for stream in _in_kafka(settings)
        }

    def began(self, settings: Settings) -> dict[str, Offsets]:
        """By stream, where its topics began to be read; of those that Spark's connector reads nothing is known."""
        noted = {stream: noted_start(start.note) for stream, start in self.starts(settings).items()}
        return {stream: offsets for stream, offsets in noted.items() if offsets is not None}

    def offsets(self, batch: int, settings: Settings) -> dict[str, Offsets]:
        """By stream, up to where its topics are read behind a batch."""
        noted = SparkCheckpoint(self.checkpoint).positions(batch - self.base)
        kafka = _in_kafka(settings)
        found = zip(_sources(settings), noted, strict=False)
        return {stream: offsets for stream, offsets in found if offsets and stream in kafka}

    def files(self, batch: int, settings: Settings) -> Mapping[str, Mapping[str, str]]:
        """By stream, the files of a batch: how the journal calls each, and how Spark does; others are not told.

        Raises:
            PipelineError: Spark's notes of it cannot be read.
        """
        streams = _sources(settings)
        if not streams:
            return {}
        try:
            noted = SparkCheckpoint(self.checkpoint).files(batch - self.base)
        except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
            raise PipelineError(
                f"which files batch {batch} has cannot be read from Spark's checkpoint: {error}",
                hint="start again: where it is damaged, the sources are listed anew",
            ) from error
        root = str(settings.root.absolute())
        found = {}
        for stream, paths in zip(streams, noted, strict=False):
            source = settings.streams[stream].source
            if source is not None and source.format == GIVEN:
                continue  # of a DataFrame nobody knows which rows are of which file
            local = ((urlsplit(path), path) for path in paths)
            found[stream] = {_key(unquote(url.path), root): path for url, path in local if url.scheme in {"", "file"}}
        return found


def current_generation(
    settings: Settings,
    state: Path,
    last: int | None,
    say: Callable[[str], None] = lambda _line: None,
    mended: Collection[str] = (),
) -> Generation:
    """The generation of these sources: the latest one if it serves, else a new one.

    A new generation reads its sources from the start: the journal knows the files that were taken, and of others the
    events are recognised. It is begun, and that is said, where the sources are other ones, the project was moved, a
    file was mended, and where Spark's checkpoint is damaged, or does not agree with what is done.

    Args:
        settings: the project's, whose stream sources decide.
        state: folder of the engine's state.
        last: the last batch that left a trace, 0 before the first; `None`: nobody counts but Spark. Batches are counted
            from 1.
        say: takes a line of the log.
        mended: files that could not be read and are other ones now: Spark would not list them again.
    """
    described = _describe(settings)
    folders = sorted(file.parent for file in state.glob(f"generation-*/{_FILE}"))
    base = 1 if last is None else last + 1
    if folders:
        known = _read(folders[-1] / _FILE)
        latest = _in(folders[-1], int(known.get("base", base)))
        reason = _why_anew(known, described, latest, last) or _changed(mended)
        if reason is None:
            return latest
        say(f"recovery: {reason}: {_ANEW}")
        base = latest.begun + 1 if last is None else base
    elif last:
        say(f"recovery: Spark's checkpoint is gone: {_ANEW}")
    folder = state / f"generation-{_number(folders[-1]) + 1 if folders else 0:06d}"
    make_folder(folder)
    with write_atomically(folder / _FILE) as temporary:
        temporary.write_text(json.dumps({"base": base, **described}, indent=1), encoding="utf-8")
    for earlier in folders[:-1]:  # Spark may have the last one open still
        shutil.rmtree(earlier, ignore_errors=True)
    return _in(folder, base)


def _why_anew(
    known: Mapping[str, Any], described: Mapping[str, Any], latest: Generation, last: int | None
) -> str | None:
    """Why the latest generation serves no more."""
    if "sources" not in known:
        return f"{latest.checkpoint.parent / _FILE} cannot be read"
    if known["sources"] != described["sources"]:
        return "the project has other sources"
    if known["root"] not in {None, described["root"]}:
        return f"the project was moved from {known['root']}"
    spark = SparkCheckpoint(latest.checkpoint)
    streams = described["sources"]["streams"].values()
    damage = spark.damage(len(streams), [number for number, source in enumerate(streams) if "kafka" in source])
    if damage is not None:
        return f"Spark's checkpoint is damaged ({damage})"
    worn = _worn(spark)
    if worn is not None:
        return f"{worn:,} files that Spark remembers are gone"
    if last is not None and latest.base + spark.planned < last:
        return f"Spark's checkpoint ends with batch {latest.base + spark.planned}, and batch {last} was begun"
    if latest.base + spark.committed > max(last or 0, latest.base - 1):
        return f"Spark's checkpoint has batch {latest.base + spark.committed}, and what is kept ends with {last or 0}"
    return None


def _changed(mended: Collection[str]) -> str | None:
    if not mended:
        return None
    others = f" and {len(mended) - 1:,} more" if len(mended) > 1 else ""
    return f"{min(mended)}{others} could not be read, and was changed"


def _worn(spark: SparkCheckpoint) -> int | None:
    """How many of the files that Spark remembers are gone, if they are many, and more than the others."""
    try:
        noted = [urlsplit(path) for source in spark.sources for path in spark.all_files(source)]
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return None
    if len(noted) < _MANY_FILES:
        return None
    gone = sum(url.scheme in {"", "file"} and not Path(unquote(url.path)).exists() for url in noted)
    return gone if gone >= _MANY_FILES and 2 * gone > len(noted) else None


def _read(path: Path) -> Mapping[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return {"root": None, **content, "base": int(content["base"]), "sources": dict(content["sources"])}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _number(folder: Path) -> int:
    return int(folder.name.rpartition("-")[2])


def _in(folder: Path, base: int) -> Generation:
    return Generation(folder / "checkpoint", base, folder.parent / "heartbeats")


def _key(path: str, root: str) -> str:
    """How the journal calls a file: from the project's folder on, if it lies in it, so that the folder may be moved."""
    return path.removeprefix(f"{root}/")


def planned_at(generation: Generation, batch: int) -> datetime:
    """The wall clock when Spark has planned a batch, by its number in our count; of now if nobody knows any more."""
    note = generation.checkpoint / "offsets" / str(batch - generation.base)
    try:
        _version, head, *_sources = note.read_text(encoding="utf-8").splitlines()
        return datetime.fromtimestamp(json.loads(head)["batchTimestampMs"] / 1000, UTC)
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return datetime.now(UTC)


def _sources(settings: Settings) -> list[str]:
    """The streams that have a source, in Spark's order."""
    return [name for name, stream in settings.streams.items() if stream.source is not None]


def _in_kafka(settings: Settings) -> set[str]:
    """The streams whose source is Kafka."""
    return {name for name, stream in settings.streams.items() if stream.source and stream.source.kafka}


def _described(source: SourceSettings) -> dict[str, Any]:
    """A source that must not change; the servers of a Kafka may, as long as its topics are the same."""
    found: dict[str, Any] = {"format": source.format, "path": source.path}
    if source.kafka is not None:
        found["kafka"] = [*source.kafka.topics, source.kafka.pattern]
    return found


def _describe(settings: Settings) -> dict[str, Any]:
    """What Spark must find unchanged in a checkpoint: the streams, their formats and paths, in order; heartbeats."""
    sources = {name: settings.streams[name].source for name in _sources(settings)}
    streams = {name: _described(source) for name, source in sources.items() if source is not None}
    return {"sources": {"streams": streams, "heartbeats": True}, "root": str(settings.root.absolute())}
