"""The kinds of stores: each does what the protocol says, and `[archive]` chooses one."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.archive.store import STORE_KINDS, OxigraphStore, WritableStore, store_kind
from kaicep.archive.store.endpoint_store import EndpointStore
from kaicep.archive.store.store import Store
from support.archives import project


def test_both_stores_can_do_the_same() -> None:
    public = {name for name in vars(OxigraphStore) if not name.startswith("_")} - {"backup", "oxigraph"}
    assert public <= set(dir(EndpointStore))


@pytest.mark.parametrize("kind", STORE_KINDS.values(), ids=STORE_KINDS)
def test_a_kind_does_all_that_the_protocol_says(kind: type[WritableStore]) -> None:
    said = {name for protocol in (Store, WritableStore) for name in vars(protocol) if not name.startswith("_")}
    assert said <= set(dir(kind))
    assert not kind.__abstractmethods__


def test_the_settings_choose_the_kind(tmp_path: Path) -> None:
    assert store_kind(project(tmp_path).archive) is OxigraphStore
    assert store_kind(project(tmp_path, endpoint="http://localhost:1/query").archive) is EndpointStore
