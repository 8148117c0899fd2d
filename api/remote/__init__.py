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
from .remote_knowledge import RemoteArchive, RemoteCoverage, RemoteGraph, RemoteModule, RemoteOntologies
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
    "RemoteAlarm",
    "RemoteArchive",
    "RemoteAttribute",
    "RemoteCheck",
    "RemoteContext",
    "RemoteContextSet",
    "RemoteCoverage",
    "RemoteFault",
    "RemoteGraph",
    "RemoteJob",
    "RemoteModule",
    "RemoteOntologies",
    "RemoteQuery",
    "RemoteRow",
    "RemoteRows",
    "RemoteSchema",
    "RemoteStream",
    "RemoteSubmission",
    "RemoteTrial",
    "RemoteWindow",
]
