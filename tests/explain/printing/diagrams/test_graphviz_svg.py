"""Graphviz by its library or by its program; what is said where there is neither."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from kaicep.errors import PlanError
from kaicep.explain.printing.diagrams.graphviz_svg import svg_of_dot

GRAPH = 'digraph { a [label="über"]; a -> b }'


def test_the_library_draws(capfd: pytest.CaptureFixture[str]) -> None:
    """And what it has to say of fonts is not heard."""
    assert "über" in svg_of_dot(GRAPH)
    assert capfd.readouterr() == ("", "")


def program(folder: Path, script: str) -> None:
    path = folder / "dot"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.fixture
def without_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    return tmp_path


def test_the_program_draws_where_there_is_no_library(without_library: Path) -> None:
    program(without_library, "echo '<svg/>'; cat")
    assert svg_of_dot(GRAPH) == f"<svg/>\n{GRAPH}"


def test_what_the_program_refuses_is_told(without_library: Path) -> None:
    program(without_library, "echo 'syntax error in line 1' >&2; exit 1")
    with pytest.raises(PlanError) as caught:
        svg_of_dot(GRAPH)
    assert str(caught.value) == ("Graphviz refuses the graph: syntax error in line 1: take --format dot and look at it")


def test_no_graphviz_is_told(without_library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(without_library))
    with pytest.raises(PlanError) as caught:
        svg_of_dot(GRAPH)
    assert str(caught.value) == (
        "SVG needs Graphviz, which is not there: run `pip install 'kaicep[pictures]'`, or install Graphviz, or take "
        "--format mermaid or dot"
    )
