"""Lines of a stream whose format is text, JSON or CSV as its settings say, read as records."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa

from ...config import SourceSettings, StreamSettings
from ...errors import PipelineError
from .csv_lines import CsvDialect, declared_columns, parse_csv_lines
from .json_lines import parse_json_lines
from .records import Malformed, RawBatch, RecordOrigin, table_of_dicts

__all__ = ["declared_columns", "parse_json_documents", "parse_lines", "text_encoding"]

_ENCODINGS = ("utf-8", "iso-8859-1", "us-ascii")


def parse_lines(lines: pa.Array, origin: RecordOrigin, file_format: str, stream: StreamSettings) -> RawBatch:
    """Read the records of all lines of some files, in order of arrival.

    Args:
        lines: strings, not necessarily valid UTF-8; blank lines included.
        origin: the files that they stand in.
        file_format: `json` or `csv`; with the source's option `multiLine` a JSON file is one array or object.
        stream: the annotation's attributes, and the source's options.
    """
    options = stream.source.options() if stream.source else {}
    if file_format == "csv":
        return parse_csv_lines(lines, origin, CsvDialect.of(stream))
    if options.get("multiLine", "false").lower() != "true":
        return parse_json_lines(lines, origin, stream.time.attribute)
    ends = [*origin.starts[1:], len(lines)]
    texts = lines.cast(pa.binary()).to_pylist()
    documents = [b"\n".join(texts[start:end]) for start, end in zip(origin.starts, ends, strict=True)]
    return parse_json_documents(documents, origin.names)


def text_encoding(source: SourceSettings | None) -> str:
    """Return the encoding that a source's options name, `utf-8` by default.

    Raises:
        PipelineError: lines cannot be told apart in it, or it is none.
    """
    options = source.options() if source else {}
    name = options.get("encoding", options.get("charset", "utf-8")).lower()
    if name not in _ENCODINGS:
        raise PipelineError(f"files in the encoding '{name}' cannot be read", hint=f"use {' or '.join(_ENCODINGS)}")
    return name


def parse_json_documents(documents: list[bytes], names: Callable[[], Sequence[str]]) -> RawBatch:
    """Read the records of texts that each are one JSON array of objects, or one object over several lines."""
    items: list[object] = []
    starts, unreadable = [], []
    for number, document in enumerate(documents):
        starts.append(len(items))
        try:
            content = json.loads(document.decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            unreadable.append(
                Malformed(document.decode(errors="backslashreplace"), f"no JSON: {error}", names()[number])
            )
            continue
        items += content if isinstance(content, list) else [content]
    origin = RecordOrigin(names, tuple(starts), "{name}, item {number}")
    texts = [json.dumps(item, ensure_ascii=False) for item in items]
    good = [i for i, item in enumerate(items) if isinstance(item, dict)]
    others = sorted(set(range(len(items))) - set(good))
    wrong = [Malformed(texts[i], "no JSON object", origin.place(i)) for i in others]
    table = table_of_dicts([item for item in items if isinstance(item, dict)])
    return RawBatch(table, (*unreadable, *wrong), origin, np.array(good, dtype=np.int64), pa.array(texts, pa.string()))
