"""`[queries]`: the documents that `run` registers, and what is asked of single queries in `[queries.NAME]`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, StrictInt, model_validator

from .quantities import Duration
from .strict_table import Table

__all__ = ["QueryService", "QuerySettings"]

_SAMPLE = re.compile(r"\s*sample\s+(\d+(?:\.\d+)?)\s*%\s*")


def _is_some(latency: timedelta | None) -> timedelta | None:
    if latency is not None and not latency:
        message = 'no row comes in no time; write a latency such as "5s"'
        raise ValueError(message)
    return latency


def _sample(text: object) -> object:
    """`"sample 10%"` as a share; anything else is refused."""
    if text is None or isinstance(text, float):
        return text
    found = _SAMPLE.fullmatch(text) if isinstance(text, str) else None
    share = None if found is None else float(found[1]) / 100
    if share is None or not 0 < share < 1:
        message = f'{text!r} is nothing that can be shed; write a share of more than 0 and less than 100, "sample 10%"'
        raise ValueError(message)
    return share


class QueryService(Table):
    """`[queries.NAME]`: the quality of service of one query (EStreams §4.7).

    Attributes:
        latency: how long after an event has come the rows that it makes certain may come; `None`: any time.
        priority: queries with a smaller one wait when one with a greater one misses its latency.
        shed: the share of the events of its source streams that it looks at, always; `None`: all.
    """

    latency: Annotated[Duration | None, AfterValidator(_is_some)] = None
    priority: StrictInt = 0
    shed: Annotated[float | None, BeforeValidator(_sample)] = None


class QuerySettings(Table):
    """`[queries]`.

    Attributes:
        files: files or glob patterns of χ-CEP documents that `run` registers when it is given none.
    """

    model_config = ConfigDict(extra="allow")
    others: ClassVar[type[Table]] = QueryService
    __pydantic_extra__: dict[str, QueryService] = Field(init=False)

    files: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _others_are_tables(cls, content: Any) -> Any:
        for name in content if isinstance(content, Mapping) else ():
            if name != "files" and not isinstance(content[name], Mapping | QueryService):
                message = f"unknown key '{name}': it takes 'files', and a table for each query, [queries.NAME]"
                raise ValueError(message)
        return content

    @property
    def services(self) -> Mapping[str, QueryService]:
        """By query, what is asked of it."""
        return self.__pydantic_extra__

    def service(self, label: str) -> QueryService:
        """What is asked of a query."""
        return self.services.get(label, QueryService())
