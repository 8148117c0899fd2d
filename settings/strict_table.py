"""A table of the project file as such: what is not known is refused."""

from __future__ import annotations

from typing import ClassVar

from pydantic import BaseModel, ConfigDict

__all__ = ["Table"]


class Table(BaseModel):
    """A table of the project file: its keys are known, and it does not change.

    Attributes:
        others: what stands under keys that are not known by name; `None`: there are none.
    """

    others: ClassVar[type[BaseModel] | None] = None

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)
