"""Every row of the table of faults names the test that proves it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SECTION = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8").partition("## What a machine may do")[2]
ROW = re.compile(r"^\| (?!what \||-)(.+) \|$", re.MULTILINE)


def test_each_row_names_a_test_that_is_there() -> None:
    rows = [re.split(r"(?<!\\) \| ", row) for row in ROW.findall(SECTION.partition("\n## ")[0])]
    assert len(rows) > 20
    for *told, proof in rows:
        assert len(told) == 5, told
        assert all(told), told
        path, _, name = proof.strip("`").partition("::")
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        assert name in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}, proof
