"""Recorded events in; sent at the pace of their time stamps to a broker, to Kafka or to a server out."""

from __future__ import annotations

from .live_demonstration import run_live_demo
from .replay_command import app

__all__ = ["app", "run_live_demo"]
