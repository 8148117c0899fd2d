"""A query is tried as a job, over HTTP."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from kaicep.config import Settings
from support.archives import archived_project
from support.servers import ask, serving

ATTRIBUTES = '[streams.airflowReport.attributes]\nflowrate = { datatype = "xsd:double" }\n'
HIGH = "SELECT ?e.flowrate AS flow FILTER (?e.flowrate >= 70)"


@pytest.mark.parametrize("processes", [False, pytest.param(True, marks=pytest.mark.long)])
def test_a_query_is_tried(tmp_path: Path, *, processes: bool) -> None:
    archived_project(tmp_path)
    with (tmp_path / "kaicep.toml").open("a") as file:
        file.write(ATTRIBUTES)
    with serving(Settings.load(tmp_path), processes=processes) as url:
        begun = ask(f"{url}/try", "POST", json.dumps({"text": HIGH, "last": "1h"}), Content_Type="application/json")
        assert begun.status == 202
        place = begun.headers["location"]
        assert place == f"/jobs/{begun.json['job']}"
        until = time.monotonic() + 120
        while (job := ask(url + place).json)["state"] in ("waiting", "running"):
            assert time.monotonic() < until
            time.sleep(0.05)
        assert (job["state"], job["result"]["count"]) == ("done", 10), job
        assert [one["id"] for one in ask(f"{url}/jobs").json] == [job["id"]]
        assert ask(url + place, "DELETE").status == 204
        assert ask(url + place).status == 404


def test_what_means_nothing_is_refused(plain_url: str) -> None:
    for body in ({"text": HIGH}, {"text": HIGH, "last": "1h", "from": "now"}, {"text": HIGH, "last": "soon"}):
        found = ask(f"{plain_url}/try", "POST", json.dumps(body), Content_Type="application/json")
        assert (found.status, found.media_type) == (400, "application/problem+json")
    assert ask(f"{plain_url}/try", "POST", "{}", Content_Type="application/json").status == 422
    assert ask(f"{plain_url}/jobs/nobody", "DELETE").status == 404
