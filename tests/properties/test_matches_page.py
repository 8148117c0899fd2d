"""docs/matches.md: what it shows is what `kaicep sparql` answers."""

from __future__ import annotations

import json
import re
from pathlib import Path

import kaicep
import pytest
from kaicep import Project
from kaicep.cli import app
from kaicep.pipeline.durability.checkpointed_flow import CheckpointedFlow
from kaicep.pipeline.sources.memory_source import raw_table
from kaicep.pipeline.sources.records import RawBatch, RecordOrigin
from support.living import archive_of
from typer.testing import CliRunner

PAGE = (Path(kaicep.__file__).parent / "docs" / "matches.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def blocks(kind: str) -> list[str]:
    return [text for found, text in BLOCKS if found == kind]


@pytest.fixture(scope="module")
def campus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page's project, its readings archived and answered batch by batch."""
    folder = tmp_path_factory.mktemp("matches")
    (folder / "kaicep.toml").write_text(*blocks("toml"))
    (folder / "rooms.ttl").write_text(*blocks("turtle"))
    project = Project.load(folder)
    readings = [json.loads(line) for line in blocks("json")[0].splitlines()]
    archive = archive_of(project)
    flow = CheckpointedFlow(project, folder / "var/state", (), archive)
    (query,) = blocks("")
    flow.queries.submit(project.registrations(query, "drop.chi"))
    for number, reading in enumerate(readings, 1):
        flow.run(number, {"air": RawBatch(raw_table([reading]), (), RecordOrigin.of("test"))})
    assert archive.flush()
    flow.close()
    archive.close()
    return folder


@pytest.mark.parametrize("question", range(2))
def test_the_archive_answers_as_the_page_says(campus: Path, question: int) -> None:
    text, expected = blocks("sparql")[question], blocks("json")[1:][question]
    found = CliRunner().invoke(app, ["sparql", text, "--project", str(campus)])
    assert (found.stderr, found.stdout) == ("", expected)
