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

__all__ = [
    "Client",
    "RemoteCheck",
    "RemoteFault",
    "RemoteJob",
    "RemoteQuery",
    "RemoteRow",
    "RemoteRows",
    "RemoteSubmission",
    "RemoteTrial",
]
