"""A request that is refused, as an error that any process may raise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import KaicepError

__all__ = ["ProblemError", "first_fault"]


class ProblemError(Exception):
    """A request that is refused.

    Args:
        status: of HTTP.
        error: what is wrong, where, and the way out; or its message alone.
        hint: the way out, beside a message.
        headers: of the response; `_` in their names stands for `-`.
    """

    def __init__(self, status: int, error: KaicepError | str, hint: str = "", **headers: str) -> None:
        self.error = KaicepError(error, hint=hint or None) if isinstance(error, str) else error
        super().__init__(status, str(self.error))
        self.status = status
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def first_fault(errors: Sequence[Mapping[str, Any]]) -> str:
    """The first thing that is wrong with what was sent, and where, as Pydantic has found it."""
    where = ".".join(map(str, errors[0]["loc"])) or "body"
    return f"{where}: {errors[0]['msg']}"
