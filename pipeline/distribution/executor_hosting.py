"""Batches that executors read and answer: the driver takes from Spark which files a batch has, and no event."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatch
from functools import cached_property, partial
from pathlib import Path
from uuid import uuid4

from ...archive import Archive, intake_of
from ...archive.log import Position, SegmentSlice, read_segment
from ...errors import PipelineError
from ...storage import (
    LocalFolder,
    SharedFolder,
    folder_at,
    folder_name,
    is_bucket_url,
    make_folder,
    write_atomically,
)
from ..catalog import Catalog
from ..durability import HOSTING, BatchFiles, BatchIntake, RestoredState, RowWriter
from ..flow import Dataflow, Registration
from ..sharding import (
    FEW_ROWS,
    PARTS,
    WRITTEN_KNOWLEDGE,
    HostingPlan,
    LoggedBefore,
    Split,
    collected_parts,
    handed_parts,
    write_parts,
)
from ..sources import (
    GONE,
    ObjectSource,
    RawBatch,
    RecordFile,
    RecordSource,
    UnreadableFile,
    arrived,
    delivered_streams,
    file_state,
    is_object_source,
    source_streams,
    written_streams,
)
from .distributed_flow import DistributedFlow
from .replayed_flow import ReplayedFlow
from .shared_folders import reach_part
from .split_batch import SplitIntake
from .task_place import TaskPlace, TaskPool

__all__ = ["ExecutorHosting"]

_LOG = logging.getLogger("kaicep")
_DRIVER = 'set hosting = "driver" under [engine]'


class ExecutorHosting:
    """See `BatchHosting`.

    Args:
        project: with the settings.
        archive: whose log is written; `None`: there is none.
        tasks: gives where tasks run, when they are needed first.
        say: takes a line of the log about files that cannot be read.

    Attributes:
        few: so many rows of a batch come to the driver, whatever sinks there are.
    """

    replayable = False
    few = FEW_ROWS

    def __init__(
        self,
        project: Catalog,
        archive: Archive | None,
        tasks: Callable[[], TaskPool],
        say: Callable[[str], None] = _LOG.info,
    ) -> None:
        self._project, self._archive, self._tasks, self._say = project, archive, tasks, say

    @cached_property
    def _pool(self) -> TaskPool:
        return self._tasks()

    @cached_property
    def place(self) -> TaskPlace:
        """Where tasks run."""
        logs = (None, None) if self._archive is None else (self._archive.log.path, self._archive.matches.log.path)
        log, matches = (None if path is None else path.absolute() for path in logs)
        shards = self._project.settings.engine.shards or self._pool.parallelism
        return TaskPlace(self._pool, self._pool.parallelism, self._folder(), shards, log, matches, self._say, self.few)

    def _folder(self) -> SharedFolder:
        """For what tasks leave for each other, and the states of shards."""
        settings = self._project.settings
        shared, own = settings.engine.shared, settings.path(settings.engine.state) / "hosting"
        make_folder(own)
        if shared is None:
            return LocalFolder(own.absolute())
        place = shared if is_bucket_url(shared) else settings.path(shared).absolute()
        return folder_at(place, settings.s3.options).inside(_name(own / "shared"))

    def begin(self) -> None:
        """Let executors look for the folders that they read and write.

        Raises:
            PipelineError: they do not reach one, have no such Python as the driver, or other versions.
        """
        place, settings = self.place, self._project.settings
        self._pool.begin()
        written = [name for name in place.folder.names() if fnmatch(name, WRITTEN_KNOWLEDGE)]
        place.folder.remove(written)  # it is written again where it is still in force
        read = source_streams(settings).keys() - delivered_streams(settings)
        sources = [stream.source for name, stream in settings.streams.items() if name in read and stream.source]
        found = [_folder(settings.path(one.path)) for one in sources if one.path and not is_object_source(one)]
        kept = None if self._archive is None else intake_of(self._archive.path)
        found += [] if kept is None or not isinstance(place.folder, LocalFolder) else [kept.absolute()]
        paths = [*([] if place.log is None else [place.log]), *found]
        plan = HostingPlan(uuid4().hex, self._project, (), 1)
        place.run(plan, reach_part, [paths] * place.tasks, place.folder, "reach")

    def dataflow(self, project: Catalog) -> Dataflow:
        """One in tasks."""
        return DistributedFlow(project, lambda: self.place)

    def recovering(self, project: Catalog, state: RestoredState) -> Dataflow:
        """One of the driver, but where tasks have left the state."""
        if HOSTING in state.operators or not (state.batch or state.reported):
            return self.dataflow(project)
        return ReplayedFlow(project, self.place.shards)

    def recovered(self, dataflow: Dataflow, number: int) -> Dataflow:
        """One in tasks."""
        if not isinstance(dataflow, ReplayedFlow):
            return dataflow
        found = DistributedFlow(dataflow.project, lambda: self.place)
        found.take_over(dataflow, number)
        return found

    def intake(
        self,
        number: int,
        files: BatchFiles,
        read: Callable[[BatchFiles], Mapping[str, RawBatch]],
        write: RowWriter | None = None,
    ) -> BatchIntake:
        """The files, as splits in order of arrival: by time of modification, then by path.

        What Spark alone delivers is written down by executors; where the order of arrival is to be found first, it is
        collected, and given to one task for each stream.
        """
        settings = self._project.settings
        delivered = delivered_streams(settings) - files.logged
        written = frozenset[str]() if write is None else written_streams(settings) & delivered
        collected = delivered - written
        splits: list[Split] = self._collected(number, read(replace(files, only=collected))) if collected else []
        if write is not None and written:
            splits += self._written(number, sorted(written), write)
        unreadable: dict[str, list[UnreadableFile]] = {name: list(of) for name, of in files.unreadable.items()}
        logged = set(files.logged)
        splits += [split for name in sorted(logged) for split in self._logged(number, name)]
        for name, source in source_streams(settings).items():
            if name in delivered or name in logged:
                continue
            paths = arrived(files.listed.get(name, ()), files.passed_over.get(name, ()))
            there = [path for path in paths if file_state(path) is not None]
            records = _records(source, there)
            own = self._logged(number, name) if len(there) < len(paths) or isinstance(source, ObjectSource) else []
            if len(there) == len(paths) and isinstance(source, ObjectSource) and own and source.are_there(records):
                own = []
            if own:
                logged.add(name)
            else:
                own = [Split(name, place, one, "source") for place, one in enumerate(records)]
                gone = [UnreadableFile(path, GONE, None) for path in sorted({*paths} - {*there})]
                if gone := source.untaken(gone):
                    unreadable.setdefault(name, []).extend(gone)
                for file in gone:
                    self._say(f"streams.{name}: {file.path} {file.complaint}; see its dead letters")
            splits += own
        given = partial(self._given, number)
        return SplitIntake(splits, unreadable, given, frozenset(logged), self._logged_before(number))

    def _written(self, number: int, streams: Sequence[str], write: RowWriter) -> list[Split]:
        """Rows that executors write down; what they have written for earlier batches goes."""
        folder = self._project.settings.path(self._project.settings.engine.state).absolute() / "delivered"
        shutil.rmtree(folder, ignore_errors=True)
        found = []
        for name in streams:
            rows = write(name, folder / f"{number:09}-{uuid4().hex[:12]}" / folder_name(name))
            found += [Split(name, place, path, "written", before=of) for place, (path, of) in enumerate(rows)]
        return found

    def _collected(self, number: int, records: Mapping[str, RawBatch]) -> list[Split]:
        """Records that are on the driver, where tasks find them."""
        name = f"{number:09}-collected-{uuid4().hex[:12]}"
        found = []
        for place, (stream, raw) in enumerate(records.items()):
            file = f"{name}-{place}{PARTS}"
            write_parts(self.place.folder, file, collected_parts(raw), sync=False)
            found.append(Split(stream, 0, Path(file), "collected"))
        return found

    def logged(self, number: int) -> BatchIntake:
        """The events of a batch that the log has."""
        splits = [split for name in self._project.settings.streams for split in self._logged(number, name)]
        logged = frozenset(split.stream for split in splits)
        return SplitIntake(splits, {}, partial(self._given, number), logged, self._logged_before(number))

    def _given(self, number: int, stream: str, kept: SegmentSlice) -> Split:
        """Events that an archiver has kept: where they lie, or, where no folder is shared, handed on."""
        if isinstance(kept.path, Path) and isinstance(self.place.folder, LocalFolder):
            return Split(stream, 0, kept.path.absolute(), "kept", kept.rows)
        name = f"{number:09}-handed-{uuid4().hex[:12]}{PARTS}"
        write_parts(self.place.folder, name, handed_parts(read_segment(kept.path, rows=kept.rows)), sync=False)
        return Split(stream, 0, Path(name), "handed")

    def _logged_before(self, number: int) -> LoggedBefore | None:
        """The batches before one, where late events may be known from an archiver."""
        if self._archive is None or intake_of(self._archive.path) is None:
            return None
        log = self._archive.log
        return LoggedBefore(log.path.absolute(), Position(log.generation, number))

    def _logged(self, number: int, stream: str) -> list[Split]:
        """What the log has of a batch of a stream."""
        if self._archive is None:
            return []
        last = Position(self._archive.log.generation, number)
        slices = self._archive.log.slices(stream, last.before, last)
        return [Split(stream, place, each.path.absolute(), "log", each.rows) for place, each in enumerate(slices)]

    def restored(self, state: RestoredState, number: int, archive: Archive | None) -> RestoredState:
        """What tasks have left after that very batch; else the log gives it, in shards, where it has all of it.

        Raises:
            PipelineError: what is left is of an earlier batch, whose files are gone, and there is no log.
        """
        if not number or (state.batch == number and HOSTING in state.operators):
            return state
        of_driver = state.batch > 0 and HOSTING not in state.operators
        if archive is None and not (of_driver and state.batch == number):
            raise PipelineError(
                f"the state after batch {number} is lost, and there is no archive to rebuild it from",
                hint="begin anew with another state folder",
            )
        if of_driver and (archive is None or archive.forgets):
            return state
        return RestoredState(0, {}, state.reported, state.delivered)

    def check_submitted(self, dataflow: Dataflow, registrations: Sequence[Registration]) -> None:
        """Those that are answered with others whose states lie in shards, where no log makes these anew."""
        if isinstance(dataflow, DistributedFlow):
            dataflow.check(registrations)

    def rows_at_end(self, dataflow: Dataflow) -> dict[str, int]:
        """Tried by tasks."""
        return dataflow.rows_at_end() if isinstance(dataflow, DistributedFlow) else {}

    def cancel(self) -> None:
        """End the tasks."""
        if "_pool" in vars(self):
            self._pool.cancel()


def _records(source: RecordSource, paths: Sequence[str]) -> Sequence[RecordFile]:
    """The files of a batch that Spark has listed, or the objects that these name."""
    return source.objects(paths) if isinstance(source, ObjectSource) else [Path(path) for path in paths]


def _name(path: Path) -> str:
    """What an engine's part of a place is called that others may share: kept with its state."""
    if not path.exists():
        with write_atomically(path) as temporary:
            temporary.write_text(f"engine-{uuid4().hex}", encoding="utf-8")
    return path.read_text(encoding="utf-8")


def _folder(path: Path) -> Path:
    """What is there of a source for certain: of a pattern, the folder before it."""
    parts = [part for part in (path, *path.parents) if not set("*?[{") & set(str(part))]
    return next(part for part in parts if part.exists()).absolute()
