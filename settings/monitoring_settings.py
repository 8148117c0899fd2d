"""`[monitoring]`: how an engine that nobody watches tells of itself."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from .quantities import parse_size
from .strict_table import Table

LogFormat = Literal["text", "json"]
"""What the standard error says of a running engine: lines for people, or an object a line for programs."""
LogLevel = Literal["debug", "info", "warning", "error"]
"""From which level on lines are logged."""


class MonitoringSettings(Table):
    """`[monitoring]`: metrics and logs.

    Attributes:
        metrics: file that the engine's metrics are written to each second, in the Prometheus text format.
        log: file for structured log lines, one JSON object a line; it rotates.
        log_format: of the standard error.
        log_level: the least important lines that are logged.
        log_size: bytes of the file at which it rotates.
        log_files: how many older ones are kept.
    """

    metrics: str | None = None
    log: str | None = None
    log_format: LogFormat = "text"
    log_level: LogLevel = "info"
    log_size: Annotated[int, BeforeValidator(parse_size)] = 10 * 10**6
    log_files: int = Field(default=5, ge=1)
