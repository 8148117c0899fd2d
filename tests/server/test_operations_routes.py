"""Health needs nothing, readiness an engine that has recovered; status and metrics are what the engine has written."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from kaicep.config import Settings
from kaicep.pipeline.monitoring import status_bytes, status_file
from kaicep.server.engine_process import EngineProcess
from support.servers import ask, serving
from support.statuses import busy_engine


def test_health_and_readiness_without_an_engine(plain_url: str) -> None:
    assert ask(f"{plain_url}/health").json == {"healthy": True}
    assert ask(f"{plain_url}/ready").json == {"ready": True, "reason": None}
    heads = [ask(f"{plain_url}/{path}", method="HEAD") for path in ("health", "ready")]
    assert [(head.status, head.text) for head in heads] == [(200, ""), (200, "")]
    assert ask(f"{plain_url}/health", method="DELETE").headers["allow"] == "GET, HEAD"


def test_without_tokens_whoever_asks_may_do_all(plain_url: str) -> None:
    assert ask(f"{plain_url}/client").json == {"token": None, "role": "admin"}


def test_of_an_engine_that_never_ran_there_is_no_status(plain_url: str) -> None:
    found = ask(f"{plain_url}/status")
    assert (found.status, found.media_type) == (404, "application/problem+json")
    assert found.json["hint"] == "start one: kaicep run"
    assert "kaicep_up 0.0\n" in ask(f"{plain_url}/metrics").text


def test_status_and_metrics_are_the_engine_s(settings: Settings) -> None:
    """That of an engine which has ended without a word is told as such."""
    file = status_file(settings.path(settings.engine.state))
    file.parent.mkdir(parents=True)
    file.write_bytes(status_bytes(busy_engine(datetime.now(UTC))))
    with serving(settings) as url:
        found = ask(f"{url}/status").json
        assert (found["state"], found["records"], found["queries"]["high"]["matches"]) == ("killed", 1210, 42)
        metrics = ask(f"{url}/metrics")
        assert metrics.media_type == "text/plain"
        assert 'kaicep_matches_total{query="high"} 42.0' in metrics.text
        assert 'kaicep_http_requests_total{method="GET",route="/status",status="200"} 1.0' in metrics.text


def test_the_engine_begins_and_ends_with_the_server(settings: Settings, tmp_path: Path) -> None:
    note = tmp_path / "note"
    script = f"trap 'echo ended >> {note}; exit 0' TERM; echo begun >> {note}; while :; do sleep 0.05; done"
    engine = EngineProcess(["sh", "-c", script], lambda: False, lambda _: None)
    with serving(settings, engine) as url:
        found = ask(f"{url}/ready")
        assert (found.status, found.json) == (503, {"ready": False, "reason": "the engine begins"})
        while not note.exists():
            assert ask(f"{url}/health").status == 200
    assert note.read_text().split() == ["begun", "ended"]
