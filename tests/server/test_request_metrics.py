"""Requests are counted by route, whose names make no metrics of their own."""

from __future__ import annotations

from kaicep.server.request_metrics import RequestMetrics
from support.servers import ask


def test_a_request_is_counted_and_timed() -> None:
    metrics = RequestMetrics()
    metrics.note("GET", "/health", 200, 0.02)
    text = bytes(metrics).decode()
    assert 'kaicep_http_requests_total{method="GET",route="/health",status="200"} 1.0' in text
    assert 'kaicep_http_request_seconds_bucket{le="0.01",method="GET",route="/health"} 0.0' in text
    assert 'kaicep_http_request_seconds_bucket{le="0.025",method="GET",route="/health"} 1.0' in text


def test_methods_that_clients_make_up_are_counted_as_one(plain_url: str) -> None:
    assert {ask(f"{plain_url}/health", f"NONE{number}").status for number in range(3)} == {405}
    text = ask(f"{plain_url}/metrics").text
    assert 'method="other",route="/health",status="405"} 3.0' in text
    assert "NONE" not in text


def test_what_is_not_there_is_counted_as_one(plain_url: str) -> None:
    assert ask(f"{plain_url}/no/such/place").headers["x-content-type-options"] == "nosniff"
    assert 'route="none",status="404"' in ask(f"{plain_url}/metrics").text
    assert "/no/such/place" not in ask(f"{plain_url}/metrics").text
