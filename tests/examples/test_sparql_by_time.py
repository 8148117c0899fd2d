"""The questions of docs/sparql-by-time.md are answered as the page shows."""

from __future__ import annotations

import io
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from kaicep.annotator import Annotator
from kaicep.archive import Archive
from kaicep.archive.sparql import Solutions, parse_time_argument
from kaicep.config import Settings
from kaicep.examples.robod.readings import load_readings
from kaicep.pipeline.sinks.row_printing import print_rows
from support.robod import EXAMPLE, knowledge

pytestmark = pytest.mark.xdist_group("robod")
PAGE = Path(__file__).parents[2] / "docs" / "sparql-by-time.md"
EXAMPLES = re.findall(
    r"^### (\d+)\. .*?^```sparql\n# (.*?)\n(.*?)^```\n\n```csv\n(.*?)^```$",
    PAGE.read_text(encoding="utf-8"),
    re.DOTALL | re.MULTILINE,
)
POINTS = ("indoor_co2", "occupant_presence", "lighting_energy", "outdoor_dry_bulb_temp")
"""What the questions are about; they name days, so the whole archive gives the same answers."""


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    """What the demonstration leaves of those points in the days from 7 to 13 September."""
    found = Settings.load(EXAMPLE)
    moved = found.archive.model_copy(update={"path": str(tmp_path / "archive")})
    settings = found.model_copy(update={"archive": moved})
    annotator = Annotator("reading", settings, knowledge())
    day = pl.col("timestamp").str.slice(0, 10)
    readings = load_readings().filter(
        pl.col("point").str.contains_any(list(POINTS)) & day.is_between(pl.lit("2021-09-07"), pl.lit("2021-09-13"))
    )
    with Archive(settings, knowledge(), {"reading": annotator.shape}) as archive:
        archive.append(0, {"reading": annotator.annotate(readings.to_arrow()).events})
        archive.flush()
        yield archive


def test_there_are_ten() -> None:
    assert [number for number, *_ in EXAMPLES] == [str(n) for n in range(1, 11)]


def test_the_questions_are_answered_as_shown(archive: Archive) -> None:
    """All in one test: the archive takes seconds to make."""
    for number, options, text, shown in EXAMPLES:
        start, end = (parse_time_argument(written, None, "the page") for written in shlex.split(options)[1::2])
        answer = archive.query(text, start=start, end=end)
        assert isinstance(answer, Solutions)
        out = io.StringIO(newline="")
        print_rows(list(answer), answer.variables, "csv", out, {})
        assert (number, out.getvalue().splitlines()) == (number, shown.splitlines())
