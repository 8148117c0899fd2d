"""Where log lines go: one JSON object a line, with batch and query, to the standard error or to files that rotate."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import structlog
from structlog.stdlib import ExtraAdder, ProcessorFormatter, add_log_level
from structlog.typing import EventDict

from ...settings import MonitoringSettings
from .logging_context import current_context

__all__ = ["LogOutput"]

_LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


class LogOutput:
    """Sends what kaicep logs where a project wants it, while it is entered.

    A line has `event`, `level`, `timestamp` (UTC, ISO 8601), `batch` and `query` where it is about one, and whatever
    else whoever logs it says.

    Args:
        settings: `[monitoring]`.
        root: folder that relative paths start from.
    """

    def __init__(self, settings: MonitoringSettings, root: Path) -> None:
        self._settings = settings
        self._file = None if settings.log is None else root / settings.log
        self._logger = logging.getLogger("kaicep")
        self._handlers: list[logging.Handler] = []
        self._level = self._logger.level

    @property
    def takes_standard_error(self) -> bool:
        """Whether the standard error belongs to log lines."""
        return self._settings.log_format == "json"

    def telling(self, tell: Callable[[str], None]) -> Callable[[str], None]:
        """The same function, which logs what it tells as well."""

        def told(line: str) -> None:
            if self._handlers:
                self._logger.info("%s", line)
            tell(line)

        return told

    def note_failure(self, message: str) -> None:
        """Log what ended an engine, where log lines go anywhere; people are told by whoever meets it."""
        if self._handlers:
            self._logger.error("%s", message)

    def __enter__(self) -> Self:
        """Begin.

        Raises:
            OSError: the file cannot be written.
        """
        if self.takes_standard_error:
            self._handlers.append(logging.StreamHandler(sys.stderr))
        if self._file is not None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            size, files = self._settings.log_size, self._settings.log_files
            self._handlers.append(RotatingFileHandler(self._file, maxBytes=size, backupCount=files, encoding="utf-8"))
        if self._handlers:
            formatter = _formatter()
            self._logger.setLevel(_LEVELS[self._settings.log_level])
            for handler in self._handlers:
                handler.addFilter(_with_context)
                handler.setFormatter(formatter)
                self._logger.addHandler(handler)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End; lines go where they went before."""
        for handler in self._handlers:
            self._logger.removeHandler(handler)
            handler.close()
        self._handlers.clear()
        self._logger.setLevel(self._level)


def _with_context(record: logging.LogRecord) -> bool:
    """Note what a line is about, on the thread that logs it."""
    record.context = dict(current_context())
    return True


def _formatter() -> logging.Formatter:
    return ProcessorFormatter(
        foreign_pre_chain=[
            add_log_level,
            ExtraAdder(),
            _flatten_context,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
        ],
        processors=[
            ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(ensure_ascii=False, default=str),
        ],
    )


def _flatten_context(_logger: Any, _name: str, event: EventDict) -> EventDict:
    """Put what a line is about beside what it says."""
    return {**event.pop("context", {}), **event}
