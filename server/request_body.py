"""The body of a request: no larger than it may be, and there in time."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TypeVar

from fastapi import Request
from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect

from .problem import ProblemError, first_fault

__all__ = ["parse_body", "read_body"]

Model = TypeVar("Model", bound=BaseModel)

_PATIENCE = 2
"""So many times what is allowed is read and thrown away: who still sends when the connection ends hears no reason."""


async def read_body(request: Request, largest: int, time: timedelta) -> bytes:
    """The body of a request.

    Args:
        request: whose body it is.
        largest: bytes that it may have.
        time: that it may take to arrive.

    Raises:
        ProblemError: 413, it is larger; 408, it does not come; 415, it is compressed: nothing is ever unpacked here.
    """
    coding = request.headers.get("Content-Encoding", "identity").strip().lower()
    if coding != "identity":
        raise ProblemError(415, f"the body is in {coding}", "send it as it is", Accept_Encoding="identity")
    said = request.headers.get("Content-Length", "")
    if said.isdigit() and int(said) > _PATIENCE * largest:
        raise _too_large(largest)
    try:
        async with asyncio.timeout(time.total_seconds()):
            return await _read(request, largest)
    except TimeoutError as error:
        said = f"no whole request within {time.total_seconds():g} s"
        raise ProblemError(408, said, "send it faster, or let body_timeout be longer", Connection="close") from error
    except ClientDisconnect as error:
        raise ProblemError(400, "the request ended before its body") from error


def parse_body(model: type[Model], body: bytes, hint: str, status: int = 422) -> Model:
    """What a body of JSON says.

    Args:
        model: of what it may say.
        body: of the request.
        hint: what to send.
        status: of the refusal.

    Raises:
        ProblemError: it is no JSON, or says something else.
    """
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        raise ProblemError(status, first_fault(error.errors()).message, hint) from error


async def _read(request: Request, largest: int) -> bytes:
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size <= largest:
            parts.append(part)
        elif size > _PATIENCE * largest:
            break
    if size > largest:
        raise _too_large(largest)
    return b"".join(parts)


def _too_large(largest: int) -> ProblemError:
    hint = "send less at once, or let body_size under [server] be more"
    return ProblemError(413, f"more than {largest:,} bytes", hint, Connection="close")
