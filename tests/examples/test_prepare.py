"""`prepare` makes projects that can run wherever they are put."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from kaicep.config import Settings
from kaicep.examples import car_accidents, linear_road, robod, rooms, shopping, soda
from kaicep.ontology import load_knowledge


@pytest.mark.parametrize(
    ("prepare", "stream", "queries", "individual"),
    [
        (robod.prepare, "reading", 7, "https://example.org/robod#room1"),
        (rooms.prepare, "reading", 6, "https://example.org/robod#room1"),
        (linear_road.prepare, "report", 6, "https://example.org/linear-road#east58"),
        (car_accidents.prepare, "report", 3, "https://example.org/linear-road#east58"),
        (shopping.prepare, "task", 3, "https://example.org/shop#pear"),
        (soda.prepare, "airflow", 4, "https://brickschema.org/schema/1.0.2/building_example#vav_C300"),
    ],
)
def test_a_prepared_project_has_its_models_queries_and_readings(
    tmp_path: Path, prepare: Callable[[Path, int], Path], stream: str, queries: int, individual: str
) -> None:
    folder = tmp_path / "new" / "project"
    file = prepare(folder, 2)
    assert file == folder / "kaicep.toml"
    settings = Settings.load(file)
    assert load_knowledge(settings).is_known(individual)
    assert len(list(Path(settings.queries.files[0]).parent.glob("*.chi"))) == queries
    source = settings.streams[stream].source
    assert source is not None
    assert source.path is not None
    assert len(list(settings.path(source.path).glob(f"*.{source.format}"))) == 2


def test_robod_comes_as_json_lines_too(tmp_path: Path) -> None:
    source = Settings.load(robod.prepare(tmp_path, 1, "json")).streams["reading"].source
    assert source is not None
    assert source.format == "json"
    assert pl.read_ndjson(tmp_path / "readings" / "readings-0000.json").height == 609_316
