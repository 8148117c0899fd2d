"""The archive: admitted events go in, by batch; the event log (Parquet) and the semantic store (Oxigraph) come out."""

from .advances import AdvanceLog
from .archive import Archive, Counts
from .backup import backup
from .compaction import Compacted, compact_archive
from .endpoint import EndpointError
from .endpoint_reader import EndpointReader
from .history import History
from .instants import moment_of
from .intake import Intake
from .log import EventLog
from .matches import Origin
from .queryable import Question
from .reader import ArchiveReader, open_reader
from .recorded import ArchiveView, Recorded, view_archive
from .restore import restore
from .segment import Position
from .sparql import Graph, Result, Solutions, Value
from .store import EventStore
from .stored import AskedStore
from .verify import Health, verify
from .writer import Lag

__all__ = [
    "AdvanceLog",
    "Archive",
    "ArchiveReader",
    "ArchiveView",
    "AskedStore",
    "Compacted",
    "Counts",
    "EndpointError",
    "EndpointReader",
    "EventLog",
    "EventStore",
    "Graph",
    "Health",
    "History",
    "Intake",
    "Lag",
    "Origin",
    "Position",
    "Question",
    "Recorded",
    "Result",
    "Solutions",
    "Value",
    "backup",
    "compact_archive",
    "moment_of",
    "open_reader",
    "restore",
    "verify",
    "view_archive",
]
