"""What `[queries]` takes, and what of single queries."""

from __future__ import annotations

from datetime import timedelta

import pytest
from kaicep.config import Settings
from kaicep.errors import ConfigError
from kaicep.settings import QueryService


def test_queries_have_services_by_name() -> None:
    content = {"files": ["*.chi"], "alarms": {"latency": "5s", "priority": 10}, "means": {"priority": -1}}
    found = Settings.parse({"queries": content}).queries
    assert found.files == ("*.chi",)
    assert found.service("alarms") == QueryService(latency=timedelta(seconds=5), priority=10)
    assert found.service("means") == QueryService(priority=-1)
    assert found.service("other") == QueryService()


def test_a_share_is_written_as_people_write_it() -> None:
    assert Settings.parse({"queries": {"a": {"shed": "sample 12.5 %"}}}).queries.service("a").shed == 0.125


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        ({"queries": {"a": {"latency": "soon"}}}, "queries.a.latency: 'soon' is no duration"),
        ({"queries": {"a": {"latency": "0s"}}}, "queries.a.latency: no row comes in no time"),
        ({"queries": {"a": {"shed": "10%"}}}, "queries.a.shed: '10%' is nothing that can be shed"),
        ({"queries": {"a": {"shed": "sample 100%"}}}, "write a share of more than 0 and less than 100"),
        ({"queries": {"a": {"latncy": "1s"}}}, "unknown key 'latncy': did you mean 'latency'?"),
        ({"queries": {"a": {"priority": 0.5}}}, "queries.a.priority: takes a whole number"),
        ({"queries": {"a": {"priority": True}}}, "queries.a.priority: takes a whole number"),
        ({"queries": {"fils": ["*.chi"]}}, "unknown key 'fils'"),
        ({"queries": {"a": {"latency": "1s"}}, "archive": {"enabled": False}}, "queries.a.latency: without an archive"),
    ],
)
def test_what_is_refused(tables: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError) as refused:
        Settings.parse(tables)
    assert said in str(refused.value)
