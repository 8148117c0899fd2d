"""A command names its project as the last argument, or by an option."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from kaicep.commands.options import project_of


def test_a_project_is_named_once() -> None:
    assert project_of(Path("a"), None) == project_of(None, Path("a")) == Path("a")
    with pytest.raises(typer.BadParameter, match="is named twice, as a and as b"):
        project_of(Path("a"), Path("b"))
    with pytest.raises(typer.BadParameter, match="is missing: a"):
        project_of(None, None)
