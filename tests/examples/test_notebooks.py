"""The notebooks run, and show what was kept of them."""

from __future__ import annotations

import base64
import io
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from PIL import Image

EXAMPLES = Path(__file__).parents[2] / "examples"
NOTEBOOKS = sorted(EXAMPLES.rglob("*.ipynb"))
SECONDS = 600
TRIPLES = re.compile(r"[\d,]+ triples")  # as many as the shipped ontologies entail


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_it_showed(path: Path) -> None:
    """Texts to the letter; pictures are there and have something in them."""
    kept, again = (nbformat.read(path, as_version=4) for _ in range(2))  # type: ignore[no-untyped-call]  # has no types
    NotebookClient(again, timeout=SECONDS, resources={"metadata": {"path": str(path.parent)}}).execute()
    for before, after in zip(kept.cells, again.cells, strict=True):
        if before.cell_type == "code":
            assert shown(after) == shown(before)
    assert sum(pictures(cell) for cell in again.cells) >= 1


def shown(cell: nbformat.NotebookNode) -> list[str]:
    """The texts of a cell's outputs, and of errors their lines."""
    found = []
    for output in cell.outputs:
        lines = output.get("traceback")
        text = "\n".join(lines) if lines else output.get("text") or output.data.get("text/html") or ""
        found.append(TRIPLES.sub("n triples", text))
    return found


def pictures(cell: nbformat.NotebookNode) -> int:
    """How many pictures a cell shows that are not of one colour."""
    data = [output.data["image/png"] for output in cell.get("outputs", []) if "image/png" in output.get("data", {})]
    images = [Image.open(io.BytesIO(base64.b64decode(text))).convert("L") for text in data]
    return sum(len(image.getcolors() or ()) > 1 for image in images)


def test_there_is_a_notebook() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["stale_air"]
