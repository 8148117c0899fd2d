"""Graphs of a dataset are written as a whole, and only where updates are allowed."""

from __future__ import annotations

from pathlib import Path

import pyoxigraph as ox
import pytest
from kaicep.server.graphs.dataset_graphs import DatasetGraphs, delete_graph, named_graphs, read_graph, write_graph
from kaicep.server.graphs.rdf_upload import RdfPart
from kaicep.server.problem import ProblemError
from kaicep.server.sparql import WatchedCall
from kaicep.server.sparql.uploaded_dataset import UploadedDataset
from kaicep.settings import ServerSettings
from kaicep.storage import untold

ONE, TWO = (RdfPart(".ttl", b"<a> <b> 1 ; <c> [ <d> 2 ] ."),), (RdfPart(".ttl", b"<a> <b> 2 ."),)


def triples(store: ox.Store, graph: str | None) -> int | None:
    found = read_graph(store, graph, "application/n-triples", 1000)
    return None if found is None else len(found.content.splitlines())


@pytest.mark.parametrize("graph", ["urn:g", None])
def test_a_graph_says_what_was_written_last(graph: str | None) -> None:
    store = ox.Store()
    assert write_graph(store, untold, graph, ONE, "urn:x/", replace=True) == (graph is not None)
    assert triples(store, graph) == 3
    assert not write_graph(store, untold, graph, TWO, "urn:x/", replace=False)
    assert triples(store, graph) == 4
    assert not write_graph(store, untold, graph, TWO, "urn:x/", replace=True)
    assert triples(store, graph) == 1
    assert delete_graph(store, untold, graph)
    assert triples(store, graph) == (0 if graph is None else None)
    assert delete_graph(store, untold, graph) == (graph is None)


def test_an_empty_graph_is_there() -> None:
    store = ox.Store()
    assert write_graph(store, untold, "urn:g", (RdfPart(".ttl", b""),), "urn:x/", replace=True)
    assert (triples(store, "urn:g"), named_graphs(store)) == (0, [{"graph": "urn:g", "triples": 0}])


def test_it_is_a_graph_store_that_says_what_it_refuses(tmp_path: Path) -> None:
    dataset = UploadedDataset(tmp_path / "store", ServerSettings(), updatable=True)
    graphs = DatasetGraphs(dataset, 1000)
    assert graphs.write(WatchedCall(), "urn:g", ONE, "urn:x/", replace=True)
    assert graphs.graphs() == [{"graph": "urn:g", "triples": 3}]
    with pytest.raises(ProblemError) as broken:
        graphs.write(WatchedCall(), "urn:g", (RdfPart(".ttl", b"<a> <b"),), "urn:x/", replace=True)
    assert broken.value.status == 400
    assert graphs.read("urn:g", "text/turtle") is not None
    dataset.updatable = False
    with pytest.raises(ProblemError, match="this dataset takes no updates"):
        graphs.delete(WatchedCall(), "urn:g")
    with pytest.raises(ProblemError, match="this dataset takes no updates"):
        graphs.write(WatchedCall(), "urn:g", ONE, "urn:x/", replace=True)
    dataset.updatable = True
    assert graphs.delete(WatchedCall(), "urn:g")
    dataset.close()


@pytest.mark.parametrize("replaced", [False, True])
def test_how_far_it_is_is_told_and_nothing_is_written_before_a_word(*, replaced: bool) -> None:
    """Bytes that are read, and then that it is written, which tells nothing more."""
    store, told = ox.Store(), list[tuple[str, float]]()
    if replaced:
        write_graph(store, untold, "urn:g", TWO, "urn:x/", replace=True)
    before = set(store)
    long = (*ONE, RdfPart(".nt", b"".join(b"<urn:s%d> <urn:p> <urn:o> .\n" % n for n in range(1_000))))

    def tell(stage: str, share: float) -> None:
        told.append((stage, share))
        assert set(store) == before

    write_graph(store, tell, "urn:g", long, "urn:x/", replace=True)
    shares = [share for stage, share in told if stage == "parsing"]
    assert (shares[0], shares[-1], shares) == (0.0, 1.0, sorted(shares))
    assert (len(shares) > 10, told[-1]) == (True, ("writing", 0.0))
    assert len(store) == 1_003
    delete_graph(store, lambda stage, _: told.append((stage, len(store))), "urn:g")
    assert told[-1] == ("writing", 1_003)
