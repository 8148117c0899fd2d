"""Rules of a real engine, without Spark, and what their calls reach: a broker, a mail server and the engine itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from kaicep import Engine, Project
from support.brokers import free_port, listener, mosquitto
from support.living import batch, project
from support.mailbox import mail_server
from support.ontologies import closed_here
from support.receivers import eventually

ODD = "s/1 ü\"}\n> <urn:x> $sensor {sensor} '; DROP ALL #"
RULES = """
CREATE CONTEXTS mood (calm DEFAULT, busy) BY sensor;
CREATE RULE alarm ON air IF (?row.sensor != 'none' AND ?row.flow > 1) DO INITIATE CONTEXT busy,
    CALL board(?row.sensor AS sensor, ?row.flow AS flow), CALL post(?row.sensor AS sensor, ?row.flow AS flow),
    CALL tell(?row.sensor AS sensor, ?row.flow AS flow), CALL count(?row.sensor AS sensor),
    CALL watch(?row.sensor AS sensor);
CREATE RULE calm ON air IF (?row.flow = 0) DO CALL unwatch(?row.sensor AS sensor), TERMINATE CONTEXT busy;
CREATE QUERY full AS SELECT ?e.sensor, ?e.flow FROM (?e, air) PATH {?e ex:sensor ?s . ?s a ex:Full};
CREATE RULE heed ON full DO CALL count(?row.sensor AS sensor);
CREATE QUERY moody AS SELECT ?e.sensor FROM (?e, air) IN CONTEXT busy
"""
FULL = "INSERT DATA { <urn:ex:{sensor}> a <urn:ex:Full> ; <urn:ex:said> $sensor }"
COUNT = """DELETE { ?s <urn:ex:key> ?n } INSERT { ?s <urn:ex:key> ?m } WHERE {
    BIND(<urn:ex:{sensor}> AS ?s) OPTIONAL { ?s <urn:ex:key> ?n } BIND(COALESCE(?n, 0) + 1 AS ?m) }"""


def given(folder: Path, broker: str, server: str) -> Project:
    mail = {"smtp": server, "sender": "k@x.example", "to": ["o@x.example"], "subject": "{sensor}: {flow}"}
    kinds: dict[str, dict[str, Any]] = {
        "board": {"mqtt": {"broker": broker, "topic": "alarms/{sensor}", "retain": True}, "tries": 2},
        "post": {"mail": mail},
        "tell": {"kaicep:knowledge": FULL},
        "count": {"kaicep:knowledge": COUNT},
        "watch": {
            "kaicep:submit": {
                "name": "w_{sensor}",
                "query": "SELECT ?e.flow FROM (?e, air) FILTER (?e.sensor = $sensor)",
            }
        },
        "unwatch": {"kaicep:withdraw": "w_{sensor}"},
    }
    patience = {"backoff": "20ms", "backoff_limit": "100ms"}
    return project(folder, actions={name: {"tries": 1000, **kind, **patience} for name, kind in kinds.items()})


def test_every_kind_reaches_the_real_thing_whatever_a_value_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Broker and mail server are away first: a call becomes a dead letter, the other waits, and nobody else does."""
    monkeypatch.setattr("kaicep.pipeline.control.knowledge_admin.close_in_process", closed_here)
    broker, server = free_port(), free_port()
    with Engine(given(tmp_path, f"127.0.0.1:{broker}", f"127.0.0.1:{server}")) as engine:
        assert engine._actions is not None
        assert engine._submissions is not None
        assert isinstance(engine.project, Project)
        calls = engine._actions.calls
        engine._submissions.begin()
        engine.submit(RULES)
        engine._flow.run(1, batch(1, [ODD], flow=5.0))
        assert eventually(lambda: all(calls.counts()[name].sent == 1 for name in ("tell", "count", "watch")))
        assert eventually(lambda: calls.counts()["board"].failed == 1)
        away = "the broker cannot be reached: Connection refused"
        assert [(call.action, call.reason) for call in calls.failed()] == [("board", away)]
        assert calls.counts()["post"].reason == "the mail server cannot be reached"
        with mail_server(server) as (box, _):
            assert eventually(lambda: len(box.mails) == 1)
        assert box.mails[0]["Subject"] == f"{' '.join(ODD.split())}: 5.0"
        with mosquitto(tmp_path, broker) as address, listener(address) as heard:
            assert calls.retry("board") == 1
            assert eventually(lambda: len(heard) == 1)
        assert heard[0][1]["arguments"] == {"sensor": ODD, "flow": 5.0}

        (name,) = (handle.name for handle in engine.handles if handle.name.startswith("w_"))
        found = engine._flow.run(2, batch(2, [ODD, "s1"], flow=0.5)).matches
        assert found["full"]["sensor"].to_pylist() == found["moody"]["sensor"].to_pylist() == [ODD]
        assert engine.progress.matches[name] == 1
        query = "SELECT ?e.flow FROM (?e, air) PATH {?e ex:sensor ?s . ?s a ex:Full . ?s ex:key 1 . ?s ex:said ?t}"
        why = str(engine.project.why(query, {"sensor": ODD, "at": "2026-01-01T00:00:03Z", "flow": 1.0}, stream="air"))
        assert why.count("rules (rule alarm)") == 3
        engine._flow.run(3, batch(3, [ODD], flow=0.0))
        assert eventually(lambda: calls.counts()["unwatch"].sent == 1)
        assert name not in [handle.name for handle in engine.handles]
        last = engine._flow.run(4, batch(4, [ODD], flow=0.5))
        assert last.matches["moody"].num_rows == 0
        engine._report(last)
        assert {handle.state for handle in engine.handles} == {"running"}
        assert engine.progress.given("calm") > 0
        assert not calls.failed()
