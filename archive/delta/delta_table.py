"""A table of Delta Lake that has what a stream of the log has, and says how far it is with it.

Each commit names the last batch that it has, as a transaction of an application: rows and position are there together,
or not at all, and what is copied again after a crash begins behind it.

Source: Delta Transaction Log Protocol, "Transaction Identifiers".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ...errors import ArchiveError, Place
from ...storage import S3Options, is_bucket_url
from ..log import Position

if TYPE_CHECKING:
    from deltalake import DeltaTable

__all__ = ["CopiedTo", "DeltaPlace", "StorageAwayError", "StreamTable", "delta_library"]

_BATCHES = 10**12
"""So many batches a generation has at most, as the names of segments have it."""
_BUCKET = {
    "conditional_put": "etag",
    "connect_timeout": "5s",
    "timeout": "60s",
    "max_retries": "3",
    "retry_timeout": "10s",
}
_COMMITS = 1_000
"""After so many commits its small files are put together."""
_COLOURS = re.compile(r"\x1b\[\d+m")
_CODES = (re.compile(r"status code: (\d{3})"), re.compile(r"<Code>(\w+)</Code>"))
_ANOTHER = "name another folder under [archive] delta, or move the table away: it is written anew from the log"


class StorageAwayError(Exception):
    """The storage of a table does not answer, or refuses; what it says has no keys in it."""


@dataclass(frozen=True, slots=True)
class DeltaPlace:
    """Where tables are.

    Attributes:
        root: a path, or `s3://bucket/prefix`.
        options: how its storage is reached, by the names of delta-rs.
        archive: tells the archive from all others.
    """

    root: str
    options: Mapping[str, str]
    archive: str

    @classmethod
    def of(cls, where: str, root: Path, options: S3Options, archive: str) -> DeltaPlace:
        """The place that a project names.

        Args:
            where: a path, or `s3://bucket/prefix`.
            root: from which paths start.
            options: of buckets.
            archive: as above.
        """
        if not is_bucket_url(where):
            return cls(str((root / where).absolute()), {}, archive)
        given = {"AWS_ENDPOINT_URL": options.endpoint, "AWS_REGION": options.region}
        given |= {"AWS_ALLOW_HTTP": "true"} if options.allow_http else {}
        return cls(where.rstrip("/"), {**{k: v for k, v in given.items() if v is not None}, **_BUCKET}, archive)


@dataclass(frozen=True, slots=True)
class CopiedTo:
    """How far a table is: the last batch that it has rows of, and how many these are in the log."""

    position: Position
    rows: int


def delta_library() -> Any:
    """The library of Delta Lake.

    Raises:
        ArchiveError: it is not installed.
    """
    try:
        import deltalake  # noqa: PLC0415 - an extra, which other projects need not have
    except ImportError as error:
        raise ArchiveError(
            "archive.delta: the library of Delta Lake is not installed", hint="pip install 'kaicep[delta]'"
        ) from error
    return deltalake


class StreamTable:
    """The table of one stream, or of one query's rows; made with the first of them.

    Args:
        place: of all tables.
        name: of the table's folder in it.
    """

    def __init__(self, place: DeltaPlace, name: str) -> None:
        self._place, self.uri = place, f"{place.root}/{name}"
        self._library = delta_library()
        self._applications = (f"kaicep-{place.archive}", f"kaicep-{place.archive}-rows")
        self._table: DeltaTable | None = None
        self._copied: CopiedTo | None = None

    @property
    def known(self) -> CopiedTo | None:
        """How far it was when its storage was last asked; `None`: no table is known."""
        return self._copied

    def copied(self) -> CopiedTo | None:
        """How far it is; `None`: there is no table yet.

        Raises:
            ArchiveError: it is none of this archive.
            StorageAwayError: the storage does not answer, or refuses.
        """
        if self._table is None:
            with self._asked(), suppress(self._library.exceptions.TableNotFoundError):
                # Not `is_deltatable`: it lets no other thread of the process go on before the storage answers.
                self._table = self._library.DeltaTable(self.uri, storage_options=dict(self._place.options))
                self._copied = self._read(self._table)
        return None if self._table is None else self._copied

    def append(self, rows: pa.Table, upto: CopiedTo) -> None:
        """Append rows, and with them how far the table is then.

        Args:
            rows: as the log has them.
            upto: how far.

        Raises:
            ArchiveError: a column has another type in the table.
            StorageAwayError: the storage does not answer, or refuses.
        """
        fitting = rows if self._table is None else self._fitting(rows, pa.schema(self._table.schema().to_arrow()))
        at = (upto.position.generation * _BATCHES + upto.position.batch, upto.rows)
        transactions = [self._library.Transaction(*each) for each in zip(self._applications, at, strict=True)]
        with self._asked():
            self._library.write_deltalake(
                self.uri if self._table is None else self._table,
                fitting,
                mode="append",
                schema_mode="merge",
                storage_options=dict(self._place.options),
                writer_properties=self._library.WriterProperties(compression="ZSTD"),
                commit_properties=self._library.CommitProperties(app_transactions=transactions),
            )
            self._copied = upto
            if self._table is not None and self._table.version() % _COMMITS == 0:
                self._table.optimize.compact()
                self._table.vacuum(dry_run=False)  # of what readers may still be at, nothing: that of a week stays
        self.copied()

    @contextmanager
    def _asked(self) -> Iterator[None]:
        """Let nothing be known of a table that has failed: what it has then, is asked anew."""
        try:
            yield
        except ArchiveError:
            self._table = None
            raise
        except Exception as error:  # noqa: BLE001  # the library raises errors of many kinds, also bare ones
            self._table = None
            raise StorageAwayError(f"{self.uri}: {_reason(error)}") from None  # which may hold requests and answers

    def _read(self, table: DeltaTable) -> CopiedTo:
        at, rows = (table.transaction_version(name) for name in self._applications)
        if at is None or rows is None:
            message = "there is a table of Delta Lake that this archive has not written"
            raise ArchiveError(message, place=Place(self.uri), hint=_ANOTHER)
        return CopiedTo(Position(*divmod(at, _BATCHES)), rows)

    def _fitting(self, rows: pa.Table, known: pa.Schema) -> pa.Table:
        """Rows as the table takes them: columns that it lacks are added to it, integers beside doubles are doubles.

        The library would cast whatever it can, doubles to integers among that.
        """
        for place, field in enumerate(rows.schema):
            index = known.get_field_index(field.name)
            there, here = _plain(known.field(index).type if index >= 0 else field.type), _plain(field.type)
            if pa.types.is_floating(there) and pa.types.is_integer(here):
                rows = rows.set_column(place, field.name, rows[field.name].cast(there))
            elif there != here:
                message = f"column '{field.name}' is {there} in the table of Delta Lake, and {here} in the log"
                raise ArchiveError(message, place=Place(self.uri), hint=_ANOTHER)
        return rows


def _plain(kind: pa.DataType) -> pa.DataType:
    """A type without what Delta Lake does not keep of it."""
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pa.string()
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return pa.list_(_plain(kind.value_type))
    return kind


def _reason(error: Exception) -> str:
    """What has gone wrong, by codes or in a line."""
    text = _COLOURS.sub("", str(error))
    codes = [found[1] for pattern in _CODES if (found := pattern.search(text))]
    if codes:
        return ", ".join(codes)
    if "timed out" in text:
        return "no answer in time"
    if "error sending request" in text:
        return "no connection"
    lines = [line.strip("↳ ") for line in text.splitlines() if line.strip("↳ ")]
    return lines[-1][:200] if lines else type(error).__name__
