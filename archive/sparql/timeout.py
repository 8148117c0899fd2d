"""The timeout of a SPARQL request, and its cancellation."""

from __future__ import annotations

import time

from ...errors import ArchiveError, Place
from .sparql_request import SparqlRequest


class Timeout:
    """Runs from now on until a request is to be given up.

    Args:
        request: says when.
    """

    def __init__(self, request: SparqlRequest) -> None:
        self._request = request
        self._deadline = None if request.timeout is None else time.monotonic() + request.timeout

    def check(self) -> None:
        """Go on, if somebody waits still.

        Raises:
            ArchiveError: the time is over, or the request was cancelled.
        """
        request = self._request
        if request.cancelled is not None and request.cancelled.is_set():
            raise ArchiveError("the query was cancelled", place=Place("query"), hint="ask again")
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise ArchiveError(
                f"no answer within {request.timeout:g} s",
                place=Place("query"),
                hint="ask for a shorter time range, or allow more time",
            )
