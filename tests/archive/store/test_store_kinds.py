"""The kinds of stores: each does what the protocol says."""

from __future__ import annotations

from kaicep.archive.store.endpoint_store import EndpointStore
from kaicep.archive.store.oxigraph_store import OxigraphStore


def test_both_stores_can_do_the_same() -> None:
    public = {name for name in vars(OxigraphStore) if not name.startswith("_")} - {"backup", "oxigraph"}
    assert public <= set(dir(EndpointStore))
