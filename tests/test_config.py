"""The project file as a whole: prefixes, paths, annotations in files of their own."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from kaicep.config import Settings
from kaicep.errors import ConfigError, Place

STREAM = {"event_type": "ex:Reading", "time": {"attribute": "at"}}


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    """A folder stands for the kaicep.toml in it."""
    (tmp_path / "kaicep.toml").write_text('[archive]\npath = "kept"\n', encoding="utf-8")
    for path in (tmp_path, tmp_path / "kaicep.toml"):
        settings = Settings.load(path)
        assert settings.path(settings.archive.path) == tmp_path / "kept"


def test_a_byte_order_mark_is_no_part_of_a_file(tmp_path: Path) -> None:
    """Editors of Windows write one."""
    (tmp_path / "kaicep.toml").write_text('[archive]\npath = "kept"\n', encoding="utf-8-sig")
    assert Settings.load(tmp_path).archive.path == "kept"


def test_what_an_annotation_file_leaves_out_the_project_says(tmp_path: Path) -> None:
    """Where both say it, the project file is right; faults of the stream are told in the annotation's place."""
    (tmp_path / "kaicep.toml").write_text(
        '[streams.air]\nannotation = "air.toml"\nlateness = "5s"\n[streams.other]\nevent_type = "ex:R"\n'
        'time = { attribute = "at" }\n',
        encoding="utf-8",
    )
    (tmp_path / "air.toml").write_text(
        'event_type = "ex:Air"\nlateness = "1s"\ntime = { attribute = "t" }\n', encoding="utf-8"
    )
    settings = Settings.load(tmp_path)
    air = settings.streams["air"]
    assert (air.event_type, air.lateness, air.time.attribute) == ("ex:Air", timedelta(seconds=5), "t")
    assert settings.place("air") == Place(str(tmp_path / "air.toml"))
    assert settings.place("other") == Place(str(tmp_path / "kaicep.toml"))


@pytest.mark.parametrize(
    ("name", "iri"),
    [
        ("ex:a", "http://example.org/a"),
        ("<urn:a>", "urn:a"),
        ("http://example.org/b", "http://example.org/b"),
        ("xsd:double", "http://www.w3.org/2001/XMLSchema#double"),
    ],
)
def test_names_are_expanded(name: str, iri: str) -> None:
    """The usual prefixes are there without being declared."""
    assert Settings.parse({"prefixes": {"ex": "http://example.org/"}}).expand(name, "knowledge") == iri


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("exx:a", "p.toml: streams.air: unknown prefix 'exx:': did you mean 'ex'?"),
        ("zzz:a", "p.toml: streams.air: unknown prefix 'zzz:': add zzz = \"…\" to [prefixes]"),
        ("a", "p.toml: streams.air: 'a' is no IRI: write prefix:a or <…>"),
    ],
)
def test_names_that_mean_nothing(name: str, message: str) -> None:
    settings = Settings.parse({"prefixes": {"ex": "http://example.org/"}}, file="p.toml")
    with pytest.raises(ConfigError) as caught:
        settings.expand(name, "streams.air")
    assert str(caught.value) == message


def test_a_stream_without_an_idle_timeout_has_the_engines() -> None:
    streams = {"slow": STREAM | {"idle_timeout": "never"}, "usual": STREAM}
    settings = Settings.parse({"engine": {"idle_timeout": "7s"}, "streams": streams})
    assert settings.idle_timeouts() == {"slow": timedelta.max, "usual": timedelta(seconds=7)}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot read the project file"),
        ("streams = [", "no TOML: "),
        ("\xff", "no TOML: "),
        (".".join("a" * 65) + " = 1", "arrays and tables are nested too deep: nothing that a project file says"),
        ("a = " + "[" * 5_000 + "]" * 5_000, "arrays and tables are nested too deep: nothing that a project file says"),
    ],
)
def test_files_that_cannot_be_read(content: str | None, message: str, tmp_path: Path) -> None:
    path = tmp_path / "kaicep.toml"
    if content is not None:
        path.write_bytes(content.encode("latin-1"))
    with pytest.raises(ConfigError) as caught:
        Settings.load(path)
    assert str(caught.value).startswith(f"{path}: {message}")


def test_all_faults_are_told_at_once() -> None:
    """The first as the error, the others as its notes."""
    with pytest.raises(ConfigError) as caught:
        Settings.parse({"archive": {"paht": "x"}, "engine": {"cache_size": -1}})
    assert str(caught.value) == "project: archive.paht: unknown key 'paht': did you mean 'path'?"
    assert caught.value.__notes__ == ["project: engine.cache_size: takes 0 or more, not -1: see docs/project.md"]
