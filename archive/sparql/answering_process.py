"""The process that answers one query, or ends in it: it loads no more of kaicep than that takes."""

from __future__ import annotations

import pickle
import sys
from typing import Any

import pyoxigraph as ox

from ...errors import ArchiveError, error_fields
from ...storage import serve_parent


def answer_request() -> None:
    """Answer the request on the standard input of this process.

    The answer is what was found; or why the query is refused, as `error_fields`; or why the store cannot be opened.
    """
    serve_parent()
    copy, do, asked = pickle.loads(sys.stdin.buffer.read())  # noqa: S301 - written by whoever began this process
    answer: tuple[object, dict[str, Any] | None, Exception | None]
    try:
        store = ox.Store.read_only(str(copy))
    except (OSError, RuntimeError) as error:
        answer = (None, None, error)
    else:
        try:
            answer = (do(store, *asked), None, None)
        except ArchiveError as error:
            answer = (None, error_fields(error), None)
    sys.stdout.buffer.write(pickle.dumps(answer))
