"""The page: one document, and the assets that it names, from files that are part of kaicep.

`make page` builds them of `source/`.
"""

from __future__ import annotations

import gzip
import mimetypes
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.exceptions import HTTPException

__all__ = ["page_routes"]

_FOLDER = Path(__file__).parent
_POLICY = "; ".join(
    (
        "default-src 'self'",
        "img-src 'self' data:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Vary": "Accept-Encoding",
}
_FOREVER = "public, max-age=31536000, immutable"
_COMPRESSED = {".js", ".css", ".html", ".svg", ".txt"}


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file of the page.

    Attributes:
        body: as it is.
        compressed: by gzip; empty: it would gain nothing.
        media_type: with its charset.
        tag: changes with the body.
    """

    body: bytes
    compressed: bytes
    media_type: str
    tag: str


def page_routes(folder: Path = _FOLDER) -> APIRouter:
    """`/` and `/assets/…`; no token is needed for what is the same for everybody.

    All is read at once: where another version is installed beneath a server, its document and assets go together still.

    Args:
        folder: has `index.html` and `assets/`.
    """
    routes = APIRouter(include_in_schema=False)
    index, assets = _read(folder / "index.html"), {path.name: _read(path) for path in (folder / "assets").iterdir()}

    @routes.get("/")
    def document(request: Request) -> Response:
        return _answer(request, index, "no-cache")

    @routes.get("/assets/{name}")
    def asset(request: Request, name: str) -> Response:
        if name not in assets:
            raise HTTPException(404)
        return _answer(request, assets[name], _FOREVER)

    return routes


@cache
def _read(path: Path) -> PageFile:
    body = path.read_bytes()
    media = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    text = path.suffix in _COMPRESSED
    return PageFile(
        body,
        gzip.compress(body, mtime=0) if text else b"",
        f"{media}; charset=utf-8" if text else media,
        f'"{sha256(body).hexdigest()[:20]}"',
    )


def _answer(request: Request, file: PageFile, kept: str) -> Response:
    headers = {**_HEADERS, "Cache-Control": kept, "ETag": file.tag}
    if file.tag in request.headers.get("If-None-Match", ""):
        return Response(status_code=304, headers=headers)
    if file.compressed and "gzip" in request.headers.get("Accept-Encoding", ""):
        return Response(file.compressed, headers={**headers, "Content-Encoding": "gzip"}, media_type=file.media_type)
    return Response(file.body, headers=headers, media_type=file.media_type)
