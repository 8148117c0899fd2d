"""docs/spark.md is right: its examples run in the greenhouse and print what it says."""

from __future__ import annotations

import contextlib
import io
import re
import shutil
from pathlib import Path

import pytest
from kaicep import Project
from pyspark.sql import SparkSession

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "spark.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n(?P<said>.*?)^```\n)?", re.MULTILINE | re.DOTALL)


def normal(text: str) -> str:
    """Without the empty line that Spark prints behind a table."""
    return text.strip()


@pytest.mark.spark
@pytest.mark.slow
def test_the_examples_print_what_the_page_says(tmp_path: Path, spark: SparkSession) -> None:
    """One after the other, in one session; Spark's paths begin where the session did, so they are written out."""
    (tmp_path / "ontologies").symlink_to(ROOT / "ontologies")
    folder = shutil.copytree(ROOT / "examples" / "greenhouse", tmp_path / "examples" / "greenhouse")
    incoming = folder / "incoming"
    incoming.mkdir(exist_ok=True)
    shutil.copy(folder / "readings" / "2026-06-01.json", incoming)
    names: dict[str, object] = {"spark": spark}
    for block in BLOCK.finditer(PAGE):
        code = re.sub(r'"((?:readings|incoming|var)/[^"]*)"', rf'"{folder}/\1"', block["code"]).replace(
            'load(".")', f'load("{folder}")'
        )
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(code, "docs/spark.md", "exec"), names)  # noqa: S102 - the page's own text
        assert normal(printed.getvalue()) == normal(block["said"] or "")
    found = spark.read.parquet(str(folder / "var" / "hot"))
    project = names["project"]
    assert isinstance(project, Project)
    rows = project.evaluate(str(names["heat"]), {"observation": str(incoming / "2026-06-01.json")})
    assert {row["_id"] for row in found.collect()} == {row["_id"] for row in rows}
