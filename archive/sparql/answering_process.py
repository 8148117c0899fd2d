"""The process that answers one query, or ends in it: it loads no more of kaicep than that takes."""

from __future__ import annotations

import pickle
import sys

import pyoxigraph as ox

from ...errors import ArchiveError, Place
from ...storage import serve_parent

Answer = tuple[object, tuple[str, Place | None, str | None] | None, Exception | None]
"""What was found; or why the query is refused, in words, with its place and what to do; or why there is no store."""


def answer_request() -> None:
    """Answer the request on the standard input of this process."""
    serve_parent()
    copy, do, asked = pickle.loads(sys.stdin.buffer.read())  # noqa: S301 - written by whoever began this process
    answer: Answer
    try:
        store = ox.Store.read_only(str(copy))
    except (OSError, RuntimeError) as error:
        answer = (None, None, error)
    else:
        try:
            answer = (do(store, *asked), None, None)
        except ArchiveError as error:
            answer = (None, (error.message, error.place, error.hint), None)
    sys.stdout.buffer.write(pickle.dumps(answer))
