"""docs/python.md is right: its examples run in the greenhouse and print what it says."""

from __future__ import annotations

import contextlib
import io
import re
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n(?P<said>.*?)^```\n)?", re.MULTILINE | re.DOTALL)
TRIPLES = re.compile(r"[\d,]+ triples")  # as many as the shipped ontologies entail
EXAMPLES = [(match["code"], match["said"]) for match in BLOCK.finditer(PAGE)]


@pytest.mark.slow
def test_the_examples_print_what_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One after the other, in one session; what starts Spark is compiled alone."""
    (tmp_path / "ontologies").symlink_to(ROOT / "ontologies")
    folder = shutil.copytree(ROOT / "examples" / "greenhouse", tmp_path / "examples" / "greenhouse")
    monkeypatch.chdir(folder)
    session: dict[str, object] = {}
    for code, said in EXAMPLES:
        program = compile(code, "docs/python.md", "exec")
        if "kaicep.Engine(" in code:
            continue
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(program, session)  # noqa: S102 - the page's own text
        assert TRIPLES.sub("n triples", printed.getvalue()) == TRIPLES.sub("n triples", said or "")
    assert (folder / "heat.svg").is_file()


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 6
    assert sum(said is not None for _, said in EXAMPLES) >= 4
