"""Requests as metrics: how many by route and status, and how long they took."""

from __future__ import annotations

import time

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["RequestMeter", "RequestMetrics"]

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"})


class RequestMetrics:
    """What a server has been asked since it began."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        labels = ["method", "route"]
        self._requests = Counter(
            "kaicep_http_requests", "Requests answered.", [*labels, "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "kaicep_http_request_seconds",
            "What they took until their answer began.",
            labels,
            buckets=_BUCKETS,
            registry=self._registry,
        )

    def note(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request; `route` is its pattern, so that its names make no metrics of their own, nor do methods."""
        method = method if method in _METHODS else "other"
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def __bytes__(self) -> bytes:
        return generate_latest(self._registry)


class RequestMeter:
    """Counts what passes.

    Args:
        app: what is asked behind it.
        metrics: that it counts in.
    """

    def __init__(self, app: ASGIApp, metrics: RequestMetrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.monotonic()

        async def noting(message: Message) -> None:
            if message["type"] == "http.response.start":
                route = getattr(scope.get("route"), "path", "none")
                self._metrics.note(scope["method"], route, message["status"], time.monotonic() - began)
            await send(message)

        await self._app(scope, receive, noting)
