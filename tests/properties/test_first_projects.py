"""Readings that are written in any way come back by the project that `kaicep init` drafts of them, every one."""

from __future__ import annotations

import tempfile
import tomllib
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from kaicep.annotator import Annotator
from kaicep.commands.scaffolding import InitOptions, draft_project
from kaicep.commands.scaffolding.project_file import project_text
from kaicep.config import Settings
from kaicep.ontology import KnowledgeBase
from kaicep.pipeline.sources import read_recording
from support.small_building import LABELS, MODEL, POINTS, write_model

EX = "http://example.org/small#"
SOSA = "http://www.w3.org/ns/sosa/"
KNOWLEDGE = KnowledgeBase.of_turtle(MODEL, "none")
TIMES: Mapping[str, Callable[[datetime], str]] = {
    "iso": lambda m: m.isoformat(),
    "epoch_s": lambda m: str(int(m.timestamp())),
    "epoch_ms": lambda m: str(int(m.timestamp()) * 1000),
    "day_first": lambda m: m.strftime("%d.%m.%Y %H:%M:%S"),
    "month_first": lambda m: m.strftime("%m/%d/%Y %H:%M:%S"),
    "year_first": lambda m: m.strftime("%Y/%m/%d %H:%M:%S"),
    "%d-%b-%Y %H:%M:%S": lambda m: m.strftime("%d-%b-%Y %H:%M:%S"),
}
Reading = tuple[datetime, int, float]


@settings(deadline=None)
@given(
    readings=st.dictionaries(
        st.tuples(st.integers(0, 60), st.integers(0, 2)), st.integers(-5000, 90000), min_size=4, max_size=40
    ),
    start=st.datetimes(datetime(1995, 1, 1), datetime(2080, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001  # zone given
    written=st.sampled_from(sorted(TIMES)),
    form=st.sampled_from(["rows", "columns", "files"]),
    ids=st.sampled_from([POINTS, LABELS]),
    dialect=st.sampled_from([(",", "."), (";", ","), ("\t", ","), ("|", "."), (";", ".")]),
)
def test_what_is_written_is_read_again(
    *,
    readings: dict[tuple[int, int], int],
    start: datetime,
    written: str,
    form: str,
    ids: tuple[str, ...],
    dialect: tuple[str, str],
) -> None:
    """In rows, columns and files; by local names and labels; every separator, decimal sign and format of time.

    Steps of seven hours tell the day from the month once the recording lasts for weeks; where nothing tells them
    apart, that has to be said.
    """
    start = start.replace(microsecond=0)
    rows = [(start + step * timedelta(hours=7), point, cents / 8) for (step, point), cents in sorted(readings.items())]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        events = _write(folder, rows, form, ids, moment=TIMES[written], dialect=dialect)
        draft = draft_project([write_model(folder)], events, folder / "p", InitOptions())
        read = Settings.parse(tomllib.loads(project_text(draft, "kaicep init")), root=folder / "p")
        annotator = Annotator("reading", read, KNOWLEDGE)
        batches = read_recording(events, read.streams["reading"])
        annotated = [annotator.annotate(batch.table) for batch in batches]
    assert draft.layout.form == form
    assert [part.rejected.num_rows for part in annotated] == [0] * len(annotated)
    value = next(iter(draft.layout.values))
    found = {
        (row["_time"], row[f"{SOSA}madeBySensor"], row[value]) for part in annotated for row in part.events.to_pylist()
    }
    if draft.roles.written.rival is None:
        assert found == {(at, f"{EX}{POINTS[point]}", number) for at, point, number in rows}
    else:
        assert {draft.roles.written.format, draft.roles.written.rival} == {"day_first", "month_first"}
        assert {(who, number) for _, who, number in found} == {(f"{EX}{POINTS[p]}", number) for _, p, number in rows}


def _write(
    folder: Path,
    rows: list[Reading],
    form: str,
    ids: tuple[str, ...],
    *,
    moment: Callable[[datetime], str],
    dialect: tuple[str, str],
) -> Path:
    separator, decimal = dialect

    def number(value: float) -> str:
        return f"{value:.3f}".replace(".", decimal)

    if form == "files":
        for point in {point for _, point, _ in rows}:
            lines = [f"{moment(at)}{separator}{number(v)}" for at, other, v in rows if other == point]
            (folder / "in").mkdir(exist_ok=True)
            (folder / "in" / f"{ids[point]}.csv").write_text("\n".join([f"time{separator}value", *lines]) + "\n")
        return folder / "in"
    path = folder / "events.csv"
    if form == "rows":
        head = separator.join(["time", "sensor", "value"])
        lines = [separator.join([moment(at), ids[point], number(v)]) for at, point, v in rows]
    else:
        head = separator.join(["time", *ids])
        at_once: dict[datetime, dict[int, float]] = {}
        for at, point, v in rows:
            at_once.setdefault(at, {})[point] = v
        lines = [
            separator.join([moment(at), *(number(of[p]) if p in of else "" for p in range(3))])
            for at, of in at_once.items()
        ]
    path.write_text("\n".join([head, *lines]) + "\n")
    return path
