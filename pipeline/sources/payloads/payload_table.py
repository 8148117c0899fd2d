"""The kinds of payloads by the name that the project file has for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from .ngsi_ld import ngsi_ld_records
from .senml import senml_records
from .sosa import sosa_records

__all__ = ["PAYLOADS", "PayloadReader"]

PayloadReader: TypeAlias = Callable[[object, float | None], Sequence[Mapping[str, Any]]]
"""The records of a document, given as parsed JSON and the Unix time at which it came, or `None`.

Raises `ValueError` where it is none; the message says why.
"""

PAYLOADS: Mapping[str, PayloadReader] = {
    "senml": senml_records,
    "sosa": lambda document, _: sosa_records(document),
    "ngsi-ld": lambda document, _: ngsi_ld_records(document),
}
