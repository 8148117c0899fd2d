"""Archives of thousands of random cases: in memory, and their documents compiled once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import pyoxigraph as ox
import pytest
from kaicep.language.checks import compile_document
from kaicep.language.nodes import Query, Vocabulary

__all__ = ["quick_archives"]

MEMORY = Path("/dev/shm")  # noqa: S108 - thousands of archives are made, and none has to survive


@contextmanager
def quick_archives() -> Iterator[None]:
    """Archives in memory, stores as well, and a document compiled once however often it is asked."""
    stores: dict[Path, ox.Store] = {}
    compiled: dict[tuple[str, int, bool], tuple[Query, ...]] = {}

    def open_folder(path: Path) -> ox.Store:
        for gone in [known for known in stores if not known.exists()]:
            del stores[gone]
        path.mkdir(exist_ok=True)
        return stores.setdefault(path, ox.Store())

    def compile_once(text: str, vocabulary: Vocabulary, *others: Any, asked: bool = False) -> tuple[Query, ...]:
        key = text, id(vocabulary.terms), asked
        if key not in compiled:
            compiled.clear()
            compiled[key] = compile_document(text, vocabulary, *others, asked=asked)
        return compiled[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tempfile.tempdir", str(MEMORY) if MEMORY.is_dir() else gettempdir())
        patch.setattr("kaicep.archive.store.oxigraph_store.open_folder", open_folder)
        patch.setattr("kaicep.pipeline.catalog.compile_document", compile_once)
        yield
