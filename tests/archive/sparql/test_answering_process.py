"""A process that answers one query: what it loads and answers, and what it says of a store that cannot be opened."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest
from kaicep.archive.sparql import evaluate
from kaicep.errors import error_of

PROGRAM = "from kaicep.archive.sparql.answering_process import answer_request; answer_request()"
HEAVY = ["pyarrow", "rdflib", "pydantic", "rich", "pandas", "kaicep.language", "kaicep.settings"]


def answer(folder: Path, text: str, program: str = PROGRAM) -> Any:
    """What the process writes for a query to a store."""
    asked = pickle.dumps((folder, evaluate, (text, {}, None)))
    done = subprocess.run([sys.executable, "-c", program], input=asked, capture_output=True, check=True)
    return pickle.loads(done.stdout)  # noqa: S301 - our own


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """That of a store with a triple."""
    store = ox.Store(tmp_path / "store")
    store.add(ox.Quad(ox.NamedNode("http://e/a"), ox.NamedNode("http://e/p"), ox.Literal("x")))
    store.flush()
    return tmp_path / "store"


def test_terms_come_back(folder: Path) -> None:
    found, refused, unopened = answer(folder, "SELECT ?s ?o { ?s ?p ?o }")
    assert (refused, unopened) == (None, None)
    assert found.terms == ((ox.NamedNode("http://e/a"), ox.Literal("x")),)


def test_what_is_wrong_with_a_query_is_told(folder: Path) -> None:
    found, refused, unopened = answer(folder, "SELECT ?s { ?s")
    assert (found, unopened) == (None, None)
    assert error_of(refused).message == "the query ends too early"
    assert str(error_of(refused).place).startswith("query:1:")


def test_no_store_is_told_as_the_store_says_it(tmp_path: Path) -> None:
    found, refused, unopened = answer(tmp_path / "none", "ASK {}")
    assert (found, refused) == (None, None)
    assert isinstance(unopened, OSError | RuntimeError)


def test_it_loads_what_answers_and_no_more(folder: Path) -> None:
    told = f"{PROGRAM}; import sys; sys.stderr.write(' '.join(m for m in {HEAVY} if m in sys.modules))"
    asked = pickle.dumps((folder, evaluate, ("SELECT * { ?s ?p ?o }", {}, None)))
    done = subprocess.run([sys.executable, "-c", told], input=asked, capture_output=True, check=True)
    assert done.stderr == b""
