"""A real Prometheus reads what a server tells, as the example has it, and knows each expression of the dashboard."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import kaicep
import pytest
from kaicep.config import Settings
from kaicep.pipeline.monitoring import status_bytes, status_file
from support.prometheus import Prometheus, prometheus
from support.receivers import eventually
from support.servers import ask, serving
from support.statuses import busy_engine

FOLDER = Path(kaicep.__file__).parent / "examples" / "operations"
WORD = "long enough for anybody"


def expressions() -> dict[str, str]:
    """Those of the dashboard by their panels, as Grafana asks them where a minute holds enough scrapes."""
    dashboard = json.loads((FOLDER / "grafana" / "dashboards" / "kaicep.json").read_text(encoding="utf-8"))
    return {
        f"{panel['title']} {number}": target["expr"].replace("$__rate_interval", "1m")
        for panel in dashboard["panels"]
        for number, target in enumerate(panel["targets"])
    }


def configuration(folder: Path, url: str, token: str) -> Path:
    """The example's, but for where the server and the token are, and for patience."""
    (folder / "token").write_text(token)
    text = (FOLDER / "prometheus.yml").read_text(encoding="utf-8")
    for word, other in {
        "kaicep:8080": url.removeprefix("http://"),
        "/run/secrets/token": str(folder / "token"),
        "scrape_interval: 5s": "scrape_interval: 200ms",
    }.items():
        assert word in text
        text = text.replace(word, other)
    file = folder / "prometheus.yml"
    file.write_text(text)
    return file


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """A server that has been asked, and the status of an engine that has everything."""
    (tmp_path / "secret").write_text(WORD)
    tokens = {"operator": {"role": "admin", "token": "file:secret"}}
    settings = Settings.parse({"server": {"port": 0, "tokens": tokens}}, root=tmp_path)
    file = status_file(settings.path(settings.engine.state))
    file.parent.mkdir(parents=True)
    file.write_bytes(status_bytes(busy_engine(datetime.now(UTC))))
    with serving(settings) as url:
        assert ask(f"{url}/ready").status == 200
        yield url


def undrawn(of: Prometheus, wanted: dict[str, str]) -> list[str]:
    """Panels that would show no data."""
    found: dict[str, list[dict[str, Any]]] = {panel: of.ask(expression) for panel, expression in wanted.items()}
    return [panel for panel, series in found.items() if not series]


def test_each_panel_shows_data(tmp_path: Path, url: str) -> None:
    wanted = expressions()
    assert len(wanted) > 15
    assert not any("$" in expression for expression in wanted.values()), "a variable that nobody replaces"
    with prometheus(tmp_path, configuration(tmp_path, url, WORD)) as running:
        assert eventually(lambda: undrawn(running, wanted) == []), undrawn(running, wanted)
        assert running.targets() == [("up", "")]
        (memory,) = running.ask("kaicep_resident_memory_bytes")
        assert memory["value"][1] == "300000000"
        assert undrawn(running, {"a panel": "rate(kaicep_records[1m])"}) == ["a panel"]


def test_who_has_no_token_sees_no_metrics(tmp_path: Path, url: str) -> None:
    with prometheus(tmp_path, configuration(tmp_path, url, "another")) as running:
        assert eventually(lambda: [health for health, _ in running.targets()] == ["down"])
        ((_, lacks),) = running.targets()
        assert "401" in lacks
        assert undrawn(running, {"a panel": "kaicep_up"}) == ["a panel"]
