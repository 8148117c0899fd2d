"""Ontology modules as graphs: what `kaicep ontology` refuses is refused, and what it takes is taken."""

from __future__ import annotations

from datetime import timedelta

import pyoxigraph as ox
import pytest
from kaicep import Project
from kaicep.config import Settings
from kaicep.server.graphs.graph_store import OwnAddress
from kaicep.server.graphs.module_graphs import (
    ModuleGraphs,
    delete_module,
    listed_modules,
    read_module,
    write_module,
)
from kaicep.server.graphs.rdf_upload import RdfPart
from kaicep.server.problem import ProblemError
from kaicep.server.sparql import WatchedCall
from kaicep.storage import untold

NONE = ox.Store()
OWL = "@prefix owl: <http://www.w3.org/2002/07/owl#> . "
DISJOINT = f"{OWL} <urn:A> owl:disjointWith <urn:B> . <urn:i> a <urn:A> ."


def write(settings: Settings, graph: str | None, text: str, *, base: str = "urn:x/", replace: bool = True) -> bool:
    return write_module(NONE, untold, settings, graph, (RdfPart(".ttl", text.encode()),), base, replace=replace)


def said(settings: Settings, graph: str | None) -> list[str]:
    found = read_module(NONE, settings, graph, "application/n-triples")
    assert found is not None
    return sorted(found.content.decode().splitlines())


def test_a_graph_is_a_module(settings: Settings) -> None:
    assert write(settings, "urn:g", "<urn:a> <urn:b> [ <urn:c> 1 ] .")
    assert not write(settings, "urn:g", "<urn:a> <urn:b> [ <urn:c> 1 ] .")
    assert len(said(settings, "urn:g")) == 2
    assert not write(settings, "urn:g", "<urn:d> <urn:e> <urn:f> .", replace=False)
    assert said(settings, "urn:g")[0] == "<urn:a> <urn:b> _:" + said(settings, "urn:g")[0].partition("_:")[2]
    assert "<urn:d> <urn:e> <urn:f> ." in said(settings, "urn:g")
    (row,) = listed_modules(NONE, settings)
    assert (row["module"], row["triples"], row["from"]) == ("urn:g", 3, "added")
    assert Project.of(settings).knowledge.store.query("ASK { <urn:d> <urn:e> <urn:f> }")
    assert delete_module(NONE, untold, settings, "urn:g")
    assert not delete_module(NONE, untold, settings, "urn:g")
    assert read_module(NONE, settings, "urn:g", "text/turtle") is None


def test_two_graphs_may_say_the_same(settings: Settings) -> None:
    assert write(settings, "urn:g", "<urn:a> <urn:b> 1 .")
    assert write(settings, "urn:h", "<urn:a> <urn:b> 1 .")
    assert delete_module(NONE, untold, settings, "urn:g")
    assert len(said(settings, "urn:h")) == 1


def test_an_address_of_the_server_is_one_module_by_whatever_name_the_server_is_asked(settings: Settings) -> None:
    """The name that it had first stays, and what the document says of itself."""
    named, numbered = (f"http://{host}/graphs/a%20b.ttl" for host in ("localhost:8080", "127.0.0.1:8080"))
    text = "<> <urn:b> 1 ."
    assert write(settings, OwnAddress(named), text, base=named)
    assert not write(settings, OwnAddress(numbered), text, base=numbered)
    assert said(settings, OwnAddress(numbered)) == said(settings, named)
    assert said(settings, named)[0].startswith(f"<{named}> ")
    assert [row["module"] for row in listed_modules(NONE, settings)] == [named]
    assert write(settings, OwnAddress(f"{numbered}.old"), text)
    assert write(settings, numbered, text)  # a name that is no address of ours: another graph
    assert delete_module(NONE, untold, settings, OwnAddress(numbered))
    assert said(settings, named)
    assert delete_module(NONE, untold, settings, OwnAddress(numbered))
    assert read_module(NONE, settings, named, "text/turtle") is None


def test_the_default_graph_is_always_there(settings: Settings) -> None:
    assert said(settings, None) == []
    assert write(settings, None, "<urn:a> <urn:b> <urn:c> .")
    assert said(settings, None) == ["<urn:a> <urn:b> <urn:c> ."]


def test_a_module_of_a_file_is_found_by_its_ontology(settings: Settings) -> None:
    (settings.root / "rooms.ttl").write_text(f"{OWL} <urn:rooms> a owl:Ontology .")
    knowing = settings.model_copy(
        update={"knowledge": settings.knowledge.model_copy(update={"modules": ("rooms.ttl",)})}
    )
    assert len(said(knowing, "urn:rooms")) == 1
    assert not write(knowing, "urn:rooms", "<urn:r> <urn:in> <urn:house> .", replace=False)
    assert [row["module"] for row in listed_modules(NONE, knowing)] == ["rooms.ttl"]
    assert len(said(knowing, "urn:rooms")) == 2
    with pytest.raises(ProblemError, match="is the ontology urn:rooms already") as twice:
        write(knowing, "urn:other", f"{OWL} <urn:rooms> a owl:Ontology .")
    assert twice.value.status == 409


def test_a_contradiction_is_refused_and_changes_nothing(settings: Settings) -> None:
    assert write(settings, "urn:g", DISJOINT)
    with pytest.raises(ProblemError, match="<urn:i> is both <urn:A> and <urn:B>, which are disjoint") as refused:
        write(settings, "urn:h", "<urn:i> a <urn:B> .")
    assert refused.value.status == 409
    assert [row["module"] for row in listed_modules(NONE, settings)] == ["urn:g"]


def test_all_contradictions_of_a_module_are_told(settings: Settings) -> None:
    assert write(settings, "urn:g", DISJOINT)
    with pytest.raises(ProblemError, match="and 1 more") as refused:
        write(settings, "urn:h", "<urn:i> a <urn:B> . <urn:k> a <urn:A> , <urn:B> .")
    (other,) = refused.value.error.__notes__
    told = f"{refused.value.error.message} {other}"
    assert all(f"<urn:{one}> is both <urn:A> and <urn:B>" in told for one in "ik")


def test_one_change_is_made_at_a_time(settings: Settings) -> None:
    server = settings.server.model_copy(update={"upload_timeout": timedelta(seconds=0.01)})
    graphs = ModuleGraphs(settings.model_copy(update={"server": server}))
    with graphs._pool._changing, pytest.raises(ProblemError, match="another change is at work") as busy:
        graphs.delete(WatchedCall(), "urn:g")
    assert busy.value.headers == {"Retry-After": "5"}
    graphs.close()


def test_how_far_it_is_is_told_and_nothing_is_written_before_a_word(settings: Settings) -> None:
    told = list[tuple[str, float]]()

    def tell(stage: str, share: float) -> None:
        told.append((stage, share))
        assert listed_modules(NONE, settings) == []

    text = "".join(f"<urn:s{n}> <urn:p> <urn:o> .\n" for n in range(500))
    part = RdfPart(".ttl", text.encode())
    assert write_module(NONE, tell, settings, "urn:g", (part,), "urn:x/", replace=True)
    shares = [share for stage, share in told if stage == "parsing"]
    assert (shares[0], shares[-1], shares) == (0.0, 1.0, sorted(shares))
    stages = list(dict.fromkeys(stage for stage, _ in told))
    assert stages == ["parsing", "reasoning", "contradictions", "comparing", "writing"]
    assert set(stages) <= ModuleGraphs(settings).stages.keys()
    removal: list[str] = []
    assert delete_module(NONE, lambda stage, _: removal.append(stage), settings, "urn:g")
    assert list(dict.fromkeys(removal)) == stages[1:]


@pytest.mark.parametrize("reasoner", ["rl", "none"])
def test_the_stages_of_a_change_are_all_of_it(settings: Settings, reasoner: str) -> None:
    knowing = settings.model_copy(update={"knowledge": settings.knowledge.model_copy(update={"reasoner": reasoner})})
    assert sum(ModuleGraphs(knowing).stages.values()) == pytest.approx(1.0)
