"""Buckets of S3 on this machine, as moto's server has them, which may be away for a while, slow down, or be full."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest
from kaicep.storage import BucketFolder, S3Options

if TYPE_CHECKING:
    from werkzeug.serving import BaseWSGIServer

__all__ = ["FULL", "KEYS", "QUOTA", "SLOW_DOWN", "ObjectStorage", "Refusal", "object_storage"]

Refusal = tuple[str, str]
"""A status and a code of S3."""
SLOW_DOWN: Refusal = ("503 Slow Down", "SlowDown")
FULL: Refusal = ("507 Insufficient Storage", "XMinioStorageFull")
QUOTA: Refusal = ("403 Forbidden", "QuotaExceeded")

KEYS = {"AWS_ACCESS_KEY_ID": "KEYOFTESTS", "AWS_SECRET_ACCESS_KEY": "secret-of-tests"}
_HOST = "127.0.0.1"


class ObjectStorage:
    """A server; what it holds stays while it is away.

    Attributes:
        refuse: what it answers to a request in place of what it would, by method and path; `None`: what it would.
        requests: how many it was asked.
    """

    def __init__(self) -> None:
        with socket.socket() as probe:
            probe.bind((_HOST, 0))
            self._port: int = probe.getsockname()[1]
        self.options = S3Options(f"http://{_HOST}:{self._port}", "us-east-1", allow_http=True)
        self.refuse: Callable[[str, str], Refusal | None] = lambda _method, _path: None
        self.requests = 0
        self._server: BaseWSGIServer | None = None
        self._thread: threading.Thread | None = None
        self.start()

    def start(self) -> None:
        """Let it answer."""
        from moto.moto_server.werkzeug_app import (  # noqa: PLC0415 - few tests need its seconds
            DomainDispatcherApplication,
            create_backend_app,
        )
        from werkzeug.serving import make_server  # noqa: PLC0415 - likewise

        self._application = DomainDispatcherApplication(create_backend_app)
        self._server = make_server(_HOST, self._port, self._answer, threaded=True)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Let it be away."""
        if self._server is not None and self._thread is not None:
            self._server.shutdown()
            self._thread.join()
            self._server.server_close()
            self._server = None

    def _answer(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        self.requests += 1
        refusal = self.refuse(environ["REQUEST_METHOD"], environ["PATH_INFO"])
        if refusal is None:
            found: Iterable[bytes] = self._application(environ, start)
            return found
        environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        status, code = refusal
        start(status, [("Content-Type", "application/xml")])
        return [f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>no</Message></Error>".encode()]

    def folder(self, prefix: str = "") -> BucketFolder:
        """A prefix in a new bucket."""
        import boto3  # noqa: PLC0415 - likewise

        name = f"bucket-{uuid4().hex[:12]}"
        client = boto3.client("s3", endpoint_url=self.options.endpoint, region_name=self.options.region)
        client.create_bucket(Bucket=name)
        return BucketFolder(name, prefix, self.options)


@pytest.fixture
def object_storage(monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectStorage]:
    """A server, and the credentials of its user in the environment."""
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    storage = ObjectStorage()
    yield storage
    storage.stop()
