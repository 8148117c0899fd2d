"""Graphviz: the library that comes with pygraphviz, else the program `dot`."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ....errors import PlanError

__all__ = ["svg_of_dot"]

# The library measures text in the fonts that there are; these three are the same everywhere.
_FONTS = tuple(f"-{kind}fontname=Helvetica" for kind in "GNE")


def svg_of_dot(text: str) -> str:
    """Return a DOT graph as SVG.

    Raises:
        PlanError: neither pygraphviz nor `dot` is there, or Graphviz refuses the graph.
    """
    try:
        import pygraphviz  # noqa: PLC0415 - an extra
    except ModuleNotFoundError:
        return _by_program(text)
    with _muted():
        drawn: bytes = pygraphviz.AGraph(string=text).draw(format="svg", prog="dot", args=" ".join(_FONTS))
    return drawn.decode()


@contextmanager
def _muted() -> Iterator[None]:
    """Without what the library writes to the standard error: it wonders at font settings newer than itself."""
    kept = os.dup(2)
    try:
        with Path(os.devnull).open("w") as nowhere:
            os.dup2(nowhere.fileno(), 2)
            yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _by_program(text: str) -> str:
    program = shutil.which("dot")
    if program is None:
        raise PlanError(
            "SVG needs Graphviz, which is not there",
            hint="run `pip install 'kaicep[pictures]'`, or install Graphviz, or take --format mermaid or dot",
        )
    done = subprocess.run([program, "-Tsvg", *_FONTS], input=text, capture_output=True, text=True, check=False)  # noqa: S603 - found on the path
    if done.returncode:
        raise PlanError(f"Graphviz refuses the graph: {done.stderr.strip()}", hint="take --format dot and look at it")
    return done.stdout
