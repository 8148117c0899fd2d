"""The address of a server in; what it answers, as values, out; errors are those of kaicep."""

from __future__ import annotations

from .remote_answers import (
    RemoteCheck,
    RemoteFault,
    RemoteJob,
    RemoteQuery,
    RemoteRow,
    RemoteRows,
    RemoteSubmission,
    RemoteTrial,
)
from .remote_client import Client
from .remote_jobs import Hearing
from .remote_knowledge import (
    RemoteArchive,
    RemoteClass,
    RemoteCoverage,
    RemoteGraph,
    RemoteIndividual,
    RemoteLink,
    RemoteModule,
    RemoteNeighbourhood,
    RemoteOntologies,
)
from .remote_matches import RemoteChart, RemoteEvent, RemoteMark, RemoteReasons, RemoteSeries
from .remote_streams import (
    RemoteAlarm,
    RemoteAttribute,
    RemoteContext,
    RemoteContextSet,
    RemoteSchema,
    RemoteStream,
    RemoteWindow,
)

__all__ = [
    "Client",
    "Hearing",
    "RemoteAlarm",
    "RemoteArchive",
    "RemoteAttribute",
    "RemoteChart",
    "RemoteCheck",
    "RemoteClass",
    "RemoteContext",
    "RemoteContextSet",
    "RemoteCoverage",
    "RemoteEvent",
    "RemoteFault",
    "RemoteGraph",
    "RemoteIndividual",
    "RemoteJob",
    "RemoteLink",
    "RemoteMark",
    "RemoteModule",
    "RemoteNeighbourhood",
    "RemoteOntologies",
    "RemoteQuery",
    "RemoteReasons",
    "RemoteRow",
    "RemoteRows",
    "RemoteSchema",
    "RemoteSeries",
    "RemoteStream",
    "RemoteSubmission",
    "RemoteTrial",
    "RemoteWindow",
]
