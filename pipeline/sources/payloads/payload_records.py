"""Texts that are a document each as raw records; a document has as many as it has measurements."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from ....annotator import MOST_NESTED, TOO_DEEP, json_nesting
from ..records import Malformed, RawBatch, RecordOrigin, table_of_dicts
from ..text_lines import HALVES, has_halves, split_off_invalid_text, without_blank_lines
from .payload_table import PAYLOADS

__all__ = ["parse_payloads", "payload_items"]


def parse_payloads(texts: pa.Array, origin: RecordOrigin, payload: str) -> RawBatch:
    """The records of documents.

    Args:
        texts: strings, a document each, not necessarily valid UTF-8; blank ones are none.
        origin: where they stood.
        payload: which kind they are, by its name in `PAYLOADS`.
    """
    valid, numbers, wrong = split_off_invalid_text(texts, origin)
    kept, numbers = without_blank_lines(valid, numbers)
    records: list[Mapping[str, Any]] = []
    of: list[int] = []
    for number, text in zip(numbers.tolist(), kept.to_pylist(), strict=True):
        found = payload_items(text, payload, None)
        if isinstance(found, str):
            wrong.append(Malformed(text, found, origin.place(number)))
        else:
            records += found
            of += [number] * len(found)
    return RawBatch(table_of_dicts(records), tuple(wrong), origin, np.array(of, dtype=np.int64), texts)


def payload_items(text: str, payload: str, received: float | None) -> Sequence[Mapping[str, Any]] | str:
    """The records of a document; a text where it is none, which says why.

    Args:
        text: JSON.
        payload: which kind it is.
        received: the Unix time at which it came, in seconds; `None`: nobody knows.
    """
    if json_nesting(text) > MOST_NESTED + 1:
        return TOO_DEEP
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        return f"no JSON: {error}"
    if "\\u" in text and has_halves(json.dumps(document, ensure_ascii=False)):
        return HALVES
    try:
        return PAYLOADS[payload](document, received)
    except ValueError as error:
        return f"no {payload}: {error}"
