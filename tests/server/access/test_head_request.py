"""Whatever is read has a head: that of GET, without the body."""

from __future__ import annotations

import pytest
from kaicep.config import Settings
from support.command_line import HIGH
from support.servers import ask, serving


@pytest.mark.parametrize(
    "path",
    ["/", "/health", "/ready", "/metrics", "/sparql", "/queries", "/jobs", "/graphs", "/graphs?default"],
)
def test_a_head_is_that_of_the_answer_to_get(plain_url: str, path: str) -> None:
    head, whole = ask(plain_url + path, "HEAD"), ask(plain_url + path)
    assert (head.status, head.body) == (whole.status, b"") == (200, b"")
    assert head.headers["content-type"] == whole.headers["content-type"]
    if path != "/metrics":  # it counts the requests, too
        assert head.headers["content-length"] == whole.headers["content-length"] == str(len(whole.body))


def test_what_is_refused_has_a_head_too(plain_url: str) -> None:
    assert [ask(plain_url + path, "HEAD").status for path in ("/queries/none", "/nothing", "/status")] == [404] * 3
    told = ask(f"{plain_url}/check", "HEAD")
    assert (told.status, told.headers["allow"]) == (405, "POST")
    assert ask(f"{plain_url}/queries", "HEAD", Origin="https://other.example").status == 200
    assert ask(f"{plain_url}/queries", "HEAD", Host="other.example").status == 403


def test_the_head_of_rows_ends_them(settings: Settings) -> None:
    """Else whoever asks waits for a body that never comes, and the rows are followed for nobody."""
    with serving(settings) as url:
        label = ask(f"{url}/queries", "POST", f"CREATE QUERY mine AS {HIGH}").json["labels"][0]
        head = ask(f"{url}/queries/{label}/rows", "HEAD")
        assert (head.status, head.media_type) == (200, "text/event-stream")
        counted = ask(f"{url}/metrics").text
    assert 'kaicep_http_requests_total{method="HEAD",route="/queries/{label}/rows",status="200"} 1.0' in counted
