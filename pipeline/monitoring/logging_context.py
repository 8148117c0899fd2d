"""What a log line is about: the batch at work, and the query that is answered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["current_context", "log_context"]

_CONTEXT: ContextVar[Mapping[str, object]] = ContextVar("kaicep-log-context", default={})  # noqa: B039 - never changed


@contextmanager
def log_context(**names: object) -> Iterator[None]:
    """Let every line that is logged within, on this thread, say these names and values."""
    token = _CONTEXT.set({**_CONTEXT.get(), **names})
    try:
        yield
    finally:
        _CONTEXT.reset(token)


def current_context() -> Mapping[str, object]:
    """The names and values in force."""
    return _CONTEXT.get()
