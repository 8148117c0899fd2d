"""Settings of small projects, for tests of what stands around the data path."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kaicep.config import Settings

from .prefixes import CAMPUS


def reports(**attributes: dict[str, str]) -> Settings:
    """One stream `report` of the campus with these attributes."""
    stream = {"event_type": "evt:Report", "time": {"attribute": "at"}, "attributes": attributes}
    return Settings.parse({"prefixes": CAMPUS, "streams": {"report": stream}})


def project_of(root: Path, **sources: dict[str, Any]) -> Settings:
    """Streams of readings (sensorID, timestamp, flowrate), one per source."""
    stream = {
        "event_type": "<urn:Reading>",
        "time": {"attribute": "timestamp"},
        "attributes": {"sensorID": {}, "flowrate": {"datatype": "xsd:double"}},
    }
    streams = {name: stream | {"source": source} for name, source in sources.items()}
    return Settings.parse({"streams": streams, "engine": {"state": str(root / "state")}}, root=root)
