"""SenML: a pack of measurements with base fields, as records without them.

Source: RFC 8428, §4 (fields), §4.6 (resolved records), §12.1 (units).
"""

from __future__ import annotations

import re
import sys
from typing import Any

__all__ = ["senml_records"]

_VERSION = 10
_RELATIVE = 2**28
"""Times below are relative to now (§4.5.3)."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9:./_-]*")
_BASES: dict[str, Any] = {"bn": "", "bt": 0, "bu": None, "bv": None, "bs": None}
_VALUES = ("v", "vs", "vb", "vd")
_NUMBERS = frozenset({"bt", "bv", "bs", "t", "v", "s", "ut", "bver"})
_TEXTS = frozenset({"bn", "bu", "n", "u", "vs", "vd"})
_KNOWN = _NUMBERS | _TEXTS | {"vb"}


def senml_records(document: object, received: float | None) -> list[dict[str, Any]]:
    """The resolved records of a pack: `n`, `t` in Unix seconds, `u`, one of `v`, `vs`, `vb`, `vd`, and `s`, `ut`.

    Args:
        document: an array of SenML records.
        received: the Unix time at which it came; needed where its times are relative to that.

    Raises:
        ValueError: it is no pack, of a later version, or a time is relative and nobody knows to what.
    """
    if not isinstance(document, list) or not document:
        message = "a pack is an array of records"
        raise ValueError(message)
    bases = dict(_BASES)
    found = []
    for number, record in enumerate(document, start=1):
        try:
            _check(record)
            bases |= {name: record[name] for name in _BASES if name in record}
            if (resolved := _resolved(record, bases, received)) is not None:
                found.append(resolved)
        except ValueError as error:
            message = f"record {number}: {error}"
            raise ValueError(message) from None
    return found


def _check(record: object) -> None:
    if not isinstance(record, dict):
        message = "it is no object"
        raise ValueError(message)  # noqa: TRY004 - whoever asks wants one kind
    for name, value in record.items():
        number = isinstance(value, int | float) and not isinstance(value, bool)
        fits = number if name in _NUMBERS else isinstance(value, str if name in _TEXTS else bool)
        if name in _KNOWN and not fits:
            message = f"'{name}' is {value!r}"
            raise ValueError(message)
        if number and name in _NUMBERS and abs(value) > sys.float_info.max:
            message = f"'{name}' is too large"
            raise ValueError(message)
        if name not in _KNOWN and name.endswith("_"):  # §4.4: it must be understood
            message = f"'{name}' must be understood, and is not"
            raise ValueError(message)
    if record.get("bver", _VERSION) > _VERSION:
        message = f"its version is {record['bver']}; {_VERSION} is read"
        raise ValueError(message)
    if sum(name in record for name in _VALUES) > 1:
        message = f"it has several of {', '.join(_VALUES)}"
        raise ValueError(message)


def _resolved(record: dict[str, Any], bases: dict[str, Any], received: float | None) -> dict[str, Any] | None:
    """A record without base fields; `None`: it only sets them."""
    values = {name: record[name] for name in _VALUES if name in record}
    if bases["bv"] is not None and not values.keys() & {"vs", "vb", "vd"} and ("v" in values or "bv" in record):
        values["v"] = bases["bv"] + values.get("v", 0)
    total = record.get("s")
    if bases["bs"] is not None and (total is not None or "bs" in record):
        total = bases["bs"] + (total or 0)
    if not values and total is None:
        return None
    name = bases["bn"] + record.get("n", "")
    if _NAME.fullmatch(name) is None:
        message = f"'{name}' is no name"
        raise ValueError(message)
    unit = record.get("u", bases["bu"])
    more = {"u": unit, "s": total, "ut": record.get("ut")}
    time = _time(bases["bt"] + record.get("t", 0), received)
    return {"n": name, "t": time, **values, **{key: value for key, value in more.items() if value is not None}}


def _time(moment: float, received: float | None) -> float:
    if moment >= _RELATIVE:
        return moment
    if received is None:
        message = "its time is relative to when it was received, which nobody knows here"
        raise ValueError(message)
    return received + moment
