"""What runs kaicep in production: unit, compose file, dashboard; each name in them is one that there is.

No container is begun here; what Prometheus makes of these files, `test_dashboard` says.
"""

from __future__ import annotations

import configparser
import json
import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import kaicep
import pytest
import yaml  # type: ignore[import-untyped] # it comes with MkDocs
from kaicep import Project
from kaicep.pipeline.monitoring import metrics_bytes
from kaicep.server.request_metrics import RequestMetrics
from support.command_line import call
from support.statuses import busy_engine

ROOT = Path(kaicep.__file__).parent
FOLDER = ROOT / "examples" / "operations"
UNIT = FOLDER / "kaicep.service"
SERIES = re.compile(r"^(kaicep_\w+?)(?:\{| )", re.MULTILINE)


def loaded(name: str) -> Any:
    return yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))


@pytest.fixture
def services() -> dict[str, Any]:
    found: dict[str, Any] = loaded("compose.yaml")["services"]
    return found


def known_series() -> set[str]:
    """What `/metrics` tells, of an engine and of requests."""
    requests = RequestMetrics()
    requests.note("GET", "/ready", 200, 0.1)
    text = metrics_bytes(busy_engine(datetime.now(UTC))) + bytes(requests)
    return set(SERIES.findall(text.decode()))


def test_the_dashboard_draws_metrics_that_there_are() -> None:
    dashboard = json.loads((FOLDER / "grafana" / "dashboards" / "kaicep.json").read_text(encoding="utf-8"))
    drawn = {
        name
        for panel in dashboard["panels"]
        for target in panel["targets"]
        for name in re.findall(r"kaicep_\w+", target["expr"])
    }
    assert len(drawn) > 10
    assert drawn <= known_series()
    (source,) = loaded("grafana/provisioning/datasources/prometheus.yaml")["datasources"]
    assert {panel["datasource"]["uid"] for panel in dashboard["panels"]} == {source["uid"]}
    ids = [panel["id"] for panel in dashboard["panels"]]
    assert len(set(ids)) == len(ids)


def test_what_is_well_is_drawn_as_well() -> None:
    """Of queries in a state there are series only while one is in it; what has no thresholds is red above 80."""
    dashboard = json.loads((FOLDER / "grafana" / "dashboards" / "kaicep.json").read_text(encoding="utf-8"))
    shown = [panel for panel in dashboard["panels"] if panel["type"] == "stat"]
    assert [
        panel["title"] for panel in shown if not {"mappings", "thresholds"} & panel["fieldConfig"]["defaults"].keys()
    ] == []
    drawn = [target["expr"] for panel in shown for target in panel["targets"]]
    assert [expr for expr in drawn if "kaicep_query_state{" in expr and " or " not in expr] == []


def test_files_that_are_mounted_are_there(services: dict[str, Any]) -> None:
    volumes = loaded("compose.yaml")["volumes"]
    mounts = [mount.split(":")[0] for service in services.values() for mount in service.get("volumes", ())]
    files = [mount for mount in mounts if mount.startswith(".")]
    assert [name for name in files if not (FOLDER / name).exists()] == []
    assert {mount for mount in mounts if not mount.startswith(".")} == set(volumes)
    assert (FOLDER / services["kaicep"]["build"]["context"] / "Dockerfile").is_file()
    (provider,) = loaded("grafana/provisioning/dashboards/kaicep.yaml")["providers"]
    assert f"./grafana/dashboards:{provider['options']['path']}:ro" in services["grafana"]["volumes"]


def test_services_find_each_other_and_nobody_else_finds_them(services: dict[str, Any]) -> None:
    """By their names and ports; each port is that of this machine alone."""
    (job,) = loaded("prometheus.yml")["scrape_configs"]
    (source,) = loaded("grafana/provisioning/datasources/prometheus.yaml")["datasources"]
    broker = str(Project.load(FOLDER / "project").settings.streams["climate"].source)
    inside = {published.rpartition(":")[2]: name for name, one in services.items() for published in one["ports"]}
    for name, port in (("kaicep", "8080"), ("prometheus", "9090"), ("mosquitto", "1883")):
        assert inside[port] == name
    assert job["static_configs"][0]["targets"] == ["kaicep:8080"]
    assert source["url"] == "http://prometheus:9090"
    assert "mosquitto:1883" in broker
    assert all(published.startswith("127.0.0.1:") for one in services.values() for published in one["ports"])


def test_the_token_is_the_same_file_for_all(services: dict[str, Any]) -> None:
    tokens = Project.load(FOLDER / "project").settings.server.tokens
    (job,) = loaded("prometheus.yml")["scrape_configs"]
    assert [one.token for one in tokens.values()] == [f"file:{job['authorization']['credentials_file']}"]
    assert [one["file"] for one in loaded("compose.yaml")["secrets"].values()] == ["./var/token"], (
        "var is never shipped"
    )
    assert services["kaicep"]["secrets"] == services["prometheus"]["secrets"] == list(loaded("compose.yaml")["secrets"])


def test_kaicep_is_called_as_it_can_be(services: dict[str, Any]) -> None:
    """The image has the extras that the project needs, and the commands know their words."""
    assert services["kaicep"]["build"]["args"]["EXTRAS"] == "serve,mqtt"
    command, project, *options = services["kaicep"]["command"]
    told = call(command, "--help").output
    assert all(word in told for word in options if word.startswith("--"))
    assert f"{project}/var" in (ROOT / "Dockerfile").read_text(encoding="utf-8"), "else the volume is root's"


def test_rows_that_are_printed_fill_no_disk(services: dict[str, Any]) -> None:
    """Docker keeps all that is printed, unless it is told how much."""
    assert {"max-size", "max-file"} <= services["kaicep"]["logging"]["options"].keys()


def test_the_project_finds_alarms() -> None:
    project = Project.load(FOLDER / "project")
    text = (FOLDER / "project" / "queries.chi").read_text(encoding="utf-8").partition("CREATE QUERY acknowledged")[0]
    readings = [{"room": "B1", "at": f"2026-01-15T08:0{n}:00Z", "co2": co2} for n, co2 in enumerate((900.0, 1500.0))]
    desk = [{"room": "B1", "at": "2026-01-15T08:05:00Z", "says": "seen", "who": "Ada"}]
    found = project.evaluate(text.rstrip("; \n"), {"climate": readings, "desk": desk})
    assert [(row["context"], row["change"]) for row in found] == [
        ("raised", "started"),
        ("raised", "ended"),
        ("seen", "started"),
    ]


def test_the_unit_runs_the_server_and_lets_it_end() -> None:
    unit = configparser.ConfigParser(interpolation=None, strict=False)
    unit.optionxform = str  # type: ignore[assignment,method-assign] # as its documentation has it
    unit.read(UNIT, encoding="utf-8")
    service = unit["Service"]
    assert service["ExecStart"].split()[1:] == ["serve", service["ReadWritePaths"]]
    assert service["KillMode"] == "mixed", "the engine is the server's to stop"
    assert int(service["TimeoutStopSec"]) > 60, "the engine is given a minute"


KEYS = {
    "Unit": "Description Documentation Wants Requires After Before",
    "Service": "Type User Group WorkingDirectory EnvironmentFile ExecStart StandardOutput KillMode TimeoutStopSec "
    "SuccessExitStatus Restart RestartSec CapabilityBoundingSet ReadWritePaths ProtectSystem",
    "Install": "WantedBy",
}
"""Of systemd.unit(5), systemd.service(5), systemd.exec(5) and systemd.kill(5): those that have no word of their own."""
SWITCHES = re.compile(r"(?:Private|Protect|Restrict)[A-Z]\w+|NoNewPrivileges|LockPersonality|MemoryDenyWriteExecute")


def unknown_keys(text: str) -> list[str]:
    """Those of a unit that systemd would pass over with a warning, and the machine be less protected."""
    unit = configparser.ConfigParser(strict=True, interpolation=None)
    unit.optionxform = str  # type: ignore[method-assign,assignment] # systemd heeds capitals
    unit.read_string(text)
    return [
        f"{section}.{key}"
        for section in unit.sections()
        for key, value in unit[section].items()
        if key not in KEYS.get(section, "").split()
        and not (section == "Service" and SWITCHES.fullmatch(key) and value in ("yes", "no"))
    ]


def test_every_key_of_the_unit_is_one_of_systemd() -> None:
    """Also where there is no systemd that could be asked."""
    text = UNIT.read_text(encoding="utf-8")
    assert unknown_keys(text) == []
    wrong = text.replace("KillMode=", "Killmode=").replace("ProtectHome=yes", "ProtectHome=yse")
    assert unknown_keys(wrong) == ["Service.Killmode", "Service.ProtectHome"]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd that could be asked")
def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    """It is asked about a copy whose program is there, and about one that is wrong."""
    unit = tmp_path / "kaicep.service"
    unit.write_text(UNIT.read_text().replace("/opt/kaicep/bin/kaicep", sys.executable))
    assert warnings_of(unit) == []
    unit.write_text(unit.read_text().replace("KillMode=", "Killmode="))
    assert len(warnings_of(unit)) == 1


def warnings_of(unit: Path) -> list[str]:
    """What systemd says of a unit."""
    words = ["systemd-analyze", "verify", str(unit)]
    said = subprocess.run(words, capture_output=True, text=True, check=False).stderr
    return [line for line in said.splitlines() if "kaicep.service" in line]
