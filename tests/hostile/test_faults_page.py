"""Every row of the tables of faults and of methods names the test that proves it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| (?!what \||method \||-)(.+) \|$", re.MULTILINE)


def _rows(section: str) -> list[str]:
    return ROW.findall(PAGE.partition(f"## {section}\n")[2].partition("\n## ")[0])


def test_each_row_names_a_test_that_is_there() -> None:
    rows = [re.split(r"(?<!\\) \| ", row) for row in _rows("What a machine may do")]
    assert len(rows) > 20
    for *told, proof in rows:
        assert len(told) == 5, told
        assert all(told), told
        path, _, name = proof.strip("`").partition("::")
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        assert name in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}, proof


def test_each_method_that_is_tried_is_in_the_table() -> None:
    """It is what `make reliability` runs."""
    named = {row.rpartition(" | ")[2].strip("`") for row in _rows("What was tried")}
    files = {path.relative_to(ROOT): path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py")}
    assert named == {str(path) for path, text in files.items() if "pytest.mark.reliability\n" in text}
