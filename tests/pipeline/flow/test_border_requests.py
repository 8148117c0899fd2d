"""What is asked of queries while a batch is at work waits for the border, in order, and only once."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from kaicep import PipelineError, Project
from kaicep.pipeline.flow import BorderRequests, Registration

STREAM = {"event_type": "<urn:E>", "time": {"attribute": "t"}, "attributes": {"x": {"datatype": "xsd:integer"}}}
PROJECT = Project.parse({"streams": {"air": STREAM}})
DOCUMENT = """CREATE QUERY high AS SELECT ?e.x FROM (?e, air) FILTER (?e.x > 7);
    CREATE QUERY reader AS SELECT ?h.x FROM (?h, high)"""


def registrations() -> Sequence[Registration]:
    return PROJECT.registrations(DOCUMENT, "document")


def test_requests_are_taken_once() -> None:
    requests = BorderRequests()
    assert not requests
    requests.submit(registrations())
    assert (bool(requests), requests.concern_registered) == (True, False)
    requests.resume(["mean", "mean"])
    assert requests.concern_registered
    withdrawn, submitted = requests.take()
    assert (withdrawn, [r.label for r in submitted]) == (frozenset(), ["high", "reader"])
    assert requests.take_resumed() == ["mean"]
    assert not requests


def test_what_is_to_be_parked_is_taken_once_unless_it_is_spared_or_withdrawn() -> None:
    requests = BorderRequests()
    requests.park({"high": "Ada", "mean": None, "other": None})
    assert (requests.parked, requests.concern_registered) == (("high", "mean", "other"), True)
    assert requests.spare("mean")
    assert not requests.spare("mean")
    requests.withdraw("other", {})
    assert requests.take_parked() == {"high": "Ada"}
    assert requests.take_parked() == {}


def test_what_is_read_by_another_query_is_not_withdrawn() -> None:
    """Whether that is registered, or was submitted and waits for the border; a reader that goes does not count."""
    high, reader = registrations()
    registered = {high.label: high.query}
    requests = BorderRequests()
    requests.submit([reader])
    for known in (registered, registered | {reader.label: reader.query}):
        with pytest.raises(PipelineError, match="'high' is read by reader: stop the readers first"):
            requests.withdraw("high", known)
    requests.withdraw("reader", registered | {reader.label: reader.query})
    requests.withdraw("high", registered | {reader.label: reader.query})
    assert requests.take() == (frozenset({"high", "reader"}), [])


def test_what_only_one_rule_emits_is_needed_by_who_reads_it() -> None:
    """What others emit as well, or what comes from a source, goes on without it."""
    project = Project.parse({"streams": {"air": STREAM, "door": STREAM}})
    text = """CREATE RULE one ON air DO EMIT seen (?row.x AS x);
        CREATE RULE two ON air DO EMIT seen (?row.x AS x), EMIT door (?row.x AS x);
        SELECT ?s.x FROM (?s, seen);
        SELECT ?d.x FROM (?d, door)"""
    registered = {one.label: one.query for one in project.registrations(text, "reads")}
    for first, second in (("one", "two"), ("two", "one")):
        requests = BorderRequests()
        requests.withdraw(first, registered)
        with pytest.raises(PipelineError, match=f"'{second}' is read by reads-3: stop the readers first"):
            requests.withdraw(second, registered)


def test_a_name_may_be_given_again_at_once() -> None:
    high, _ = registrations()
    requests = BorderRequests()
    requests.withdraw("high", {"high": high.query})
    requests.submit([high])
    withdrawn, submitted = requests.take()
    assert (withdrawn, submitted) == (frozenset({"high"}), [high])
