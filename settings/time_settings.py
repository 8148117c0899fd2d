"""`time = { … }` of a stream: which attribute is the time stamp, how it is written, and on which clock."""

from __future__ import annotations

from typing import Annotated, Literal, Self
from zoneinfo import available_timezones

import polars as pl
from pydantic import BeforeValidator, model_validator

from ..errors import did_you_mean
from .strict_table import Table

__all__ = ["EPOCHS", "TIME_FORMATS", "AmbiguousTimes", "TimeSettings"]

EPOCHS = ("epoch_s", "epoch_ms", "epoch_us", "epoch_ns")
"""Numbers since 1970-01-01T00:00:00Z, by their unit."""
TIME_FORMATS = ("iso", *EPOCHS, "day_first", "month_first", "year_first")
"""The named formats; what each reads stands in `annotator/moments/time_formats.py`. Any other is a pattern with `%`."""

AmbiguousTimes = Literal["refuse", "earliest", "latest"]
"""What becomes of a local time that comes twice, when clocks are put back."""


def _format(text: object) -> object:
    """A named format, or a pattern of `strftime`; anything else is refused."""
    if not isinstance(text, str) or text in TIME_FORMATS or "%" in text:
        return text
    near = did_you_mean(text, TIME_FORMATS)
    hint = near or f'take {", ".join(TIME_FORMATS)}, or a pattern such as "%d.%m.%Y %H:%M"'
    message = f"'{text}' is no format of time stamps; {hint}"
    raise ValueError(message)


def _timezone(text: object) -> object:
    """A name of the IANA time zone database, or an offset such as `+08:00`; anything else is refused."""
    if not isinstance(text, str):
        return text
    try:
        pl.Series([], dtype=pl.Datetime("us")).dt.replace_time_zone(text)
    except pl.exceptions.PolarsError:
        hint = did_you_mean(text, sorted(available_timezones())) or 'write one such as "Europe/Rome", or "+08:00"'
        message = f"there is no time zone '{text}'; {hint}"
        raise ValueError(message) from None
    return text


class TimeSettings(Table):
    """The attribute that is the time stamp, the property that it stands for, and how it is written.

    Attributes:
        attribute: its name.
        property: of the knowledge.
        format: one of `TIME_FORMATS`, or a pattern of `strftime`.
        timezone: where clocks show the times that name no zone; `None`: UTC.
        ambiguous: what becomes of a local time that comes twice, when clocks are put back.
    """

    attribute: str
    property: str | None = None
    format: Annotated[str, BeforeValidator(_format)] = "iso"
    timezone: Annotated[str | None, BeforeValidator(_timezone)] = None
    ambiguous: AmbiguousTimes = "refuse"

    @model_validator(mode="after")
    def _epochs_have_no_zone(self) -> Self:
        if self.format in EPOCHS and self.timezone is not None:
            message = f"{self.format} counts from a moment that is the same everywhere; drop 'timezone'"
            raise ValueError(message)
        return self
