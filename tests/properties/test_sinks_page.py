"""docs/sinks.md: its example runs, and prints what stands below it; it names every sink and every method of one."""

from __future__ import annotations

import contextlib
import io
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import kaicep
import pytest
from kaicep.pipeline.sinks import sink

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PAGE = (Path(kaicep.__file__).parent / "docs" / "sinks.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def block(kind: str) -> str:
    (text,) = (text for found, text in BLOCKS if found == kind)
    return str(text)


@pytest.mark.spark
def test_the_example_prints_what_stands_below_it(
    tmp_path: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it stands, but for the Spark that all tests share."""
    (tmp_path / "incoming").mkdir()
    (tmp_path / "incoming" / "doors.jsonl").write_text(block("json"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(kaicep, "Engine", partial(kaicep.Engine, spark=spark), raising=False)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block("python"), "docs/sinks.md", "exec"), {"__name__": "example"})  # noqa: S102 - our own page
    assert printed.getvalue() == block("")


def test_the_page_names_every_method_and_every_sink_that_is_public() -> None:
    for method, arguments in sink._CALLS.items():
        assert f"`{method}({', '.join(arguments)})`" in PAGE
    for name in (name for name in kaicep.__all__ if name.endswith("Sink")):
        assert f"`kaicep.{name}" in PAGE
