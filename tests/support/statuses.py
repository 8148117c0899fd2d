"""The status of an engine that has everything that one can have."""

from __future__ import annotations

from datetime import datetime, timedelta

from kaicep.pipeline.monitoring import (
    ActionStatus,
    ArchiveStatus,
    BatchAtWork,
    ContextEvents,
    EngineStatus,
    ExecutorStatus,
    QueryStatus,
    ShedEvents,
    StageStatus,
    StreamStatus,
)

__all__ = ["busy_engine"]


def busy_engine(at: datetime) -> EngineStatus:
    """An engine that was seen at this moment, amid its 13th batch."""
    newest = at - timedelta(seconds=90)
    air = StreamStatus(1_200, 3, 2, 1, 4, 5, 20.0, newest, newest - timedelta(seconds=5), 90.0)
    return EngineStatus(
        state="running",
        process=4711,
        version="0.1.0",
        since=at - timedelta(hours=2),
        at=at,
        batches=12,
        batch=BatchAtWork(13, 2.5),
        batch_seconds=0.25,
        records=1_210,
        rate=20.0,
        streams={"air": air, "water": StreamStatus()},
        stages={"read": StageStatus(1.5, 0.01), "queries": StageStatus(3.0, 0.5)},
        queries={
            "high": QueryStatus("running", 42, None, ContextEvents(2_000, 500, 3)),
            "all": QueryStatus("parked", 7, "too many matches"),
            "some": QueryStatus("running", 5, shed=ShedEvents(0.1, 897, 1_000)),
        },
        windows={"road": {"accident": 2}},
        actions={"ops": ActionStatus(3, 1, 1_500, "the receiver answers 500")},
        archive=ArchiveStatus(5_000_000, 17, 3, None, 250, 4, "the storage does not answer"),
        state_size=2_000,
        memory=300_000_000,
        threads={"kaicep-heartbeat": False, "kaicep-queries": True},
        hosting="executors",
        executors={"one/4712": ExecutorStatus(9, 4, 1_210, 5, 1_203, 3.25)},
    )
