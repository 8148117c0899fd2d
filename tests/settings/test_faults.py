"""Whatever the project file says wrong is told with its key, its file and what to write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from kaicep.annotator import Annotator
from kaicep.config import Settings
from kaicep.errors import AnnotationError, ConfigError
from kaicep.ontology import KnowledgeBase

_STREAM = {"event_type": "<urn:Reading>", "time": {"attribute": "at"}}


def _air(**keys: Any) -> dict[str, Any]:
    return {"streams": {"air": _STREAM | keys}}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"stream": {}}, "stream: unknown key 'stream': did you mean 'streams'?"),
        ({"engine": {"zeal": 1}}, "engine.zeal: unknown key 'zeal': known here: {engine}"),
        ({"streams": {"air": {"event_type": "x"}}}, "streams.air.time: is missing: see docs/project.md"),
        (_air(source={"fmt": "json"}), "streams.air.source.format: is missing: see docs/project.md"),
        (_air(identity="at"), "streams.air.identity: takes a list, [ … ], not 'at': see docs/project.md"),
        (_air(time="at"), "streams.air.time: takes a table, { … }, not 'at': see docs/project.md"),
        (_air(attributes=5), "streams.air.attributes: takes a table, { … }, not 5: see docs/project.md"),
        (_air(event_type=5), "streams.air.event_type: takes a text in quotes, not 5: see docs/project.md"),
        (_air(lateness=5), "streams.air.lateness: 5 is no duration; {duration}: see docs/project.md"),
        ({"engine": {"cache_size": -5}}, "engine.cache_size: takes 0 or more, not -5: see docs/project.md"),
        ({"engine": {"cache_size": "x"}}, "engine.cache_size: takes a whole number, not 'x': see docs/project.md"),
        ({"engine": {"buffer": "x"}}, "engine.buffer: takes true or false, not 'x': see docs/project.md"),
        (
            {"knowledge": {"reasoner": "hermitt"}},
            "knowledge.reasoner: takes 'rl', 'hermit', 'pellet' or 'none', not 'hermitt': did you mean 'hermit'?",
        ),
    ],
)
def test_faults_of_keys_and_values(content: dict[str, Any], message: str) -> None:
    known = {
        "engine": ", ".join(sorted(Settings().engine.model_dump())),
        "duration": 'write a number and one of ms, s, min, h, d, week, such as "5s"',
    }
    with pytest.raises(ConfigError) as caught:
        Settings.parse(content, file="kaicep.toml")
    for word, text in known.items():
        message = message.replace("{" + word + "}", text)
    assert str(caught.value) == f"kaicep.toml: {message}"


def test_an_annotation_in_a_file_of_its_own_is_blamed_there(tmp_path: Path) -> None:
    project, annotation = tmp_path / "kaicep.toml", tmp_path / "air.toml"
    project.write_text('[streams.air]\nannotation = "air.toml"\nlateness = "5s"\n')
    with pytest.raises(ConfigError) as missing:
        Settings.load(project)
    assert str(missing.value) == (
        f"{annotation}: cannot read the annotation of stream 'air': No such file or directory: it takes a TOML file"
    )
    annotation.write_text('event_typ = "<urn:Reading>"\ntime = { attribute = "at" }\n')
    with pytest.raises(ConfigError) as unknown:
        Settings.load(project)
    assert [str(unknown.value), *unknown.value.__notes__] == [
        f"{annotation}: streams.air.event_type: is missing: see docs/project.md",
        f"{annotation}: streams.air.event_typ: unknown key 'event_typ': did you mean 'event_type'?",
    ]
    annotation.write_text('event_type = "ex:Reading"\ntime = { attribute = "at" }\n')
    with pytest.raises(ConfigError) as prefix:
        Annotator("air", Settings.load(project), KnowledgeBase.empty())
    assert str(prefix.value) == (
        f"{annotation}: streams.air.event_type: unknown prefix 'ex:': add ex = \"…\" to [prefixes]"
    )
    annotation.write_text('event_type = "<urn:R>"\ntime = { attribute = "at" }\nidentity = ["a"]\n')
    with pytest.raises(AnnotationError) as identity:
        Annotator("air", Settings.load(project), KnowledgeBase.empty())
    assert str(identity.value) == (
        f"{annotation}: streams.air.identity: 'a' is no declared attribute: did you mean 'at'?"
    )
