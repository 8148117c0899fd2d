"""A table of the project file as such: what is not known is refused."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

__all__ = ["Table"]


class Table(BaseModel):
    """A table of the project file: its keys are known, and it does not change."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)
