"""The body of a request: no larger than it may be, and there in time."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from fastapi import Request
from starlette.requests import ClientDisconnect

from .problem_document import ProblemError

__all__ = ["read_body"]


async def read_body(request: Request, largest: int, time: timedelta) -> bytes:
    """The body of a request.

    Args:
        request: whose body it is.
        largest: bytes that it may have.
        time: that it may take to arrive.

    Raises:
        ProblemError: 413, it is larger; 408, it does not come.
    """
    said = request.headers.get("Content-Length", "")
    if said.isdigit() and int(said) > largest:
        raise _too_large(largest)
    try:
        async with asyncio.timeout(time.total_seconds()):
            return await _read(request, largest)
    except TimeoutError as error:
        said, hint = f"no whole request within {time.total_seconds():g} s", "send it faster, or let body_timeout be longer"
        raise ProblemError(408, said, hint, Connection="close") from error
    except ClientDisconnect as error:
        raise ProblemError(400, "the request ended before its body") from error


async def _read(request: Request, largest: int) -> bytes:
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > largest:
            raise _too_large(largest)
        parts.append(part)
    return b"".join(parts)


def _too_large(largest: int) -> ProblemError:
    hint = "send less at once, or let body_size under [server] be more"
    return ProblemError(413, f"more than {largest:,} bytes", hint, Connection="close")
