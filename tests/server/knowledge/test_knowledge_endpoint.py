"""Knowledge over HTTP."""

from __future__ import annotations

from kaicep.config import Settings
from support.servers import ask, serving


def test_knowledge(known: Settings) -> None:
    with serving(known) as url:
        assert ask(f"{url}/ontologies").json["modules"][0]["name"] == "rooms.ttl"
        assert [one["prefixed"] for one in ask(f"{url}/classes").json] == ["ex:Sensor", "ex:Space"]
        assert [one["prefixed"] for one in ask(f"{url}/classes?parent=urn:ex:Space").json] == ["ex:Room"]
        assert ask(f"{url}/classes?parent=urn:ex:Nobody").status == 404
        assert [one["iri"] for one in ask(f"{url}/individuals?class=urn:ex:Lab").json] == ["urn:ex:r1"]
        assert ask(f"{url}/individuals?iri=urn:ex:r1").json["label"] == "Room one"
        assert ask(f"{url}/individuals?limit=0").status == 422
        assert ask(f"{url}/matches/{32 * '0'}/why?query=high").status == 404
        assert ask(f"{url}/matches/{32 * '0'}/why?query=hihg").json["hint"] == "did you mean 'high'?"
