"""A chart of a query: values, thresholds, rows as marks; of long lines less than a screen shows apart."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pyoxigraph as ox
import pytest
from kaicep.config import Settings
from kaicep.server.archive import query_chart as query_chart_module
from kaicep.server.archive.query_chart import query_chart, thinned
from kaicep.server.problem import ProblemError
from support.archives import archived_project
from support.explained_match import MATCH, explained_match

HIGH = "CREATE QUERY high AS SELECT ?e.flowrate AS flow FROM (?e, airflowReport) FILTER (?e.flowrate > 50)"


@pytest.fixture
def archived(tmp_path: Path) -> Settings:
    archived_project(tmp_path)
    (tmp_path / "high.chi").write_text(HIGH)
    file = tmp_path / "kaicep.toml"
    attributes = '[streams.airflowReport.attributes]\nflowrate = { datatype = "xsd:double" }\n'
    file.write_text('[queries]\nfiles = ["high.chi"]\n' + file.read_text() + attributes)
    return Settings.load(tmp_path)


def test_values_and_threshold(archived: Settings) -> None:
    found = query_chart(ox.Store(), archived, "high", "now - 9s", None)
    (line,) = found["series"]
    assert [value for _, value in line["points"]] == [n / 2 for n in range(140, 150)]
    assert line["points"][0][0] == "2012-05-07T09:02:20Z"
    assert line["name"].startswith("flowrate")
    assert (found["threshold"], found["matches"], found["from"]) == ([50.0], [], "2012-05-07T09:02:20Z")


def test_matches_are_marked_where_they_are(tmp_path: Path) -> None:
    """Those of the time that is drawn."""
    settings = explained_match(tmp_path)
    found = query_chart(ox.Store(), settings, "high", "now - 9s", None)
    assert found["matches"] == [{"id": MATCH, "time": "2012-05-07T09:02:20Z"}]
    (line,) = found["series"]
    assert ["2012-05-07T09:02:20Z", 70.0] in line["points"]
    later = query_chart(ox.Store(), settings, "high", "now - 8s", None)
    assert (later["matches"], later["threshold"]) == ([], [50.0])


def test_only_events_whose_paths_hold_are_drawn(archived: Settings) -> None:
    """No match is needed to know them."""
    paths = "(?e, airflowReport) PATH { ?e e:sensor ?s . e:Room1 e:has ?s } FILTER (?e.flowrate > 99)"
    (archived.root / "high.chi").write_text(f"CREATE QUERY high AS SELECT ?e.flowrate AS flow FROM {paths}")
    file = archived.root / "kaicep.toml"
    linked = 'sensorID = { property = "e:sensor", datatype = "xsd:string" }\n'
    file.write_text(file.read_text() + linked + '[knowledge]\nmodules = ["rooms.ttl"]\n')
    (archived.root / "rooms.ttl").write_text('<http://e/Room1> <http://e/has> "s0" .')
    found = query_chart(ox.Store(), Settings.load(archived.root), "high", "now - 9s", None)
    values = [value for line in found["series"] for _, value in line["points"]]
    assert values == [n / 2 for n in range(140, 150) if n % 4 == 0]


@pytest.mark.parametrize(("label", "start", "status"), [("high", "soon", 400), ("other", "now - 1h", 409)])
def test_what_cannot_be_drawn(archived: Settings, label: str, start: str, status: int) -> None:
    with pytest.raises(ProblemError) as problem:
        query_chart(ox.Store(), archived, label, start, None)
    assert problem.value.status == status


def test_without_an_archive_nothing_is_drawn(plain: Settings) -> None:
    with pytest.raises(ProblemError) as problem:
        query_chart(ox.Store(), plain, "high", "now - 1h", None)
    assert problem.value.status == 404


def test_long_lines_keep_their_extremes() -> None:
    values = [0.0] * 10_000
    values[1_234], values[8_765] = 99.0, -99.0
    points = pl.DataFrame({"time": range(10_000), "value": values})
    found = thinned(points, 600)
    assert found.height <= 600
    assert (found["value"].max(), found["value"].min()) == (99.0, -99.0)
    assert found["time"].is_sorted()
    assert thinned(points.head(600), 600).height == 600


def test_events_are_read_piece_by_piece_and_it_is_told_how_many(
    archived: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However they are split, the chart is the same."""
    whole, told = query_chart(ox.Store(), archived, "high", "now - 1h", None), list[tuple[str, float]]()
    monkeypatch.setattr(query_chart_module, "_AT_ONCE", 30)
    found = query_chart(ox.Store(), archived, "high", "now - 1h", None, lambda *at: told.append(at))
    assert found == whole
    assert told == [*(("reading", pytest.approx(n / 5)) for n in range(5)), ("drawing", 0.0)]
