"""Buckets of S3 on this machine, as moto's server has them, which may be away for a while."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from kaicep.storage import BucketFolder, S3Options

if TYPE_CHECKING:
    from moto.server import ThreadedMotoServer

__all__ = ["KEYS", "ObjectStorage", "object_storage"]

KEYS = {"AWS_ACCESS_KEY_ID": "KEYOFTESTS", "AWS_SECRET_ACCESS_KEY": "secret-of-tests"}
_HOST = "127.0.0.1"


class ObjectStorage:
    """A server; what it holds stays while it is away."""

    def __init__(self) -> None:
        with socket.socket() as probe:
            probe.bind((_HOST, 0))
            self._port: int = probe.getsockname()[1]
        self.options = S3Options(f"http://{_HOST}:{self._port}", "us-east-1", allow_http=True)
        self._server: ThreadedMotoServer | None = None
        self.start()

    def start(self) -> None:
        """Let it answer."""
        from moto.server import ThreadedMotoServer  # noqa: PLC0415 - few tests need its seconds

        self._server = ThreadedMotoServer(_HOST, self._port, verbose=False)
        self._server.start()

    def stop(self) -> None:
        """Let it be away."""
        if self._server is not None:
            self._server.stop()
            self._server = None

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
