"""A project of two streams whose messages come by MQTT, and what its inboxes hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kaicep.config import Settings

__all__ = ["payloads", "project"]


def project(folder: Path, port: int, **mqtt: Any) -> Settings:
    """The streams `air` and `water`, of topics of these names, and one of files."""
    server = f"mqtt://127.0.0.1:{port}"
    streams = {
        name: {
            "event_type": "<urn:R>",
            "time": {"attribute": "at"},
            "source": {"mqtt": {"server": server, "topics": f"{name}/+", **mqtt}},
        }
        for name in ("air", "water")
    }
    other = {"event_type": "<urn:R>", "time": {"attribute": "at"}, "source": {"format": "json", "path": "in/"}}
    return Settings.parse({"streams": {**streams, "other": other}}, root=folder)


def payloads(folder: Path, stream: str) -> list[str]:
    """What came, in the order of its files."""
    files = sorted((folder / "var/state/inbox" / stream).glob("mqtt-*.jsonl"))
    return [json.loads(line)["payload"] for file in files for line in file.read_text().splitlines()]
