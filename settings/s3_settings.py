"""`[s3]`: how buckets are reached; credentials are no part of the project file."""

from __future__ import annotations

from typing import Self
from urllib.parse import urlsplit

from pydantic import model_validator

from ..storage import S3Options
from .strict_table import Table

__all__ = ["S3Settings"]


class S3Settings(Table):
    """`[s3]`: an S3-compatible object storage. What is left out, and the credentials, the environment says (`AWS_…`).

    Attributes:
        endpoint: URL of the service; `None`: that of the environment, else Amazon's.
        region: of the buckets.
        allow_http: whether the endpoint may be without TLS.
    """

    endpoint: str | None = None
    region: str | None = None
    allow_http: bool = False

    @model_validator(mode="after")
    def _is_an_address(self) -> Self:
        if self.endpoint is None:
            return self
        found = urlsplit(self.endpoint)
        if found.username is not None or found.password is not None:
            message = "endpoint has a user or a password in it; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead"
            raise ValueError(message)
        if found.scheme not in ("http", "https") or not found.hostname:
            message = f"endpoint is no URL: '{self.endpoint}'; write one such as \"https://storage.example:9000\""
            raise ValueError(message)
        if found.scheme == "http" and not self.allow_http:
            message = "endpoint is without TLS; write https, or allow it by allow_http = true"
            raise ValueError(message)
        return self

    @property
    def options(self) -> S3Options:
        """What clients are given."""
        return S3Options(self.endpoint, self.region, self.allow_http)
