"""The strategies ask about everything that is alive, and what they ask has answers."""

from __future__ import annotations

import contextlib
import re

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from support.cases import Case, bounded_cases, cases
from support.engines import oracle_of
from support.queries import FAMILIES
from support.sampling import some_of

CONSTRUCTS = {
    "selections": [r"DISTINCT", r"OUTPUT ALL EVERY", r"OUTPUT FIRST EVERY", r"OUTPUT LAST EVERY", r"GROUP BY.*EVERY",
                   r"EVERY \d+ matches", r"EVERY \d+s",
                   r"FILTER", r"FROM", r"\A(?!.*FROM)", r"LIMIT", r"\?e\.\*", r"\?e,|\?e\n", r"hvc:airflow",
                   r"airvolume", r"REGEX", r" IN ", r"NOT IN", r"IF\(", r"COALESCE", r"BOUND", r"% ",
                   r"(YEAR|MONTH|DAY|HOURS|MINUTES|SECONDS)\(", r"STRLEN", r"UCASE"],
    "semantics": [r"DISTINCT", r"OUTPUT", r"GROUP BY \?\w+\n",
                  r"PATH", r"\} OR PATH", r"\} AND PATH", r"AS bound", r"FILTER \(\?cap", r"OPTIONAL", r"UNION",
                  r"NOT EXISTS", r"hvc:GreenOfficeAirflow", r"CONTAINS\(STR\(\?", r"bd:isLocationOf", r"evt:hasOrigin"],
    "sliding windows": [r"sliding, [\d.]+ ?\w", r"sliding, \d events", r"GROUP BY", r"GROUP BY.*,", r"HAVING",
                        r"> \d+ AS short", r"AVG", r"SUM", r"MIN", r"MAX", r"STDDEV", r"MEDIAN", r"PERCENTILE", r"MODE",
                        r"FIRST\(", r"LAST\(",
                        r"COUNT\(\?e\)", r"DISTINCT", r"PATH", r"LIMIT"],
    "batch windows": [r"SELECT DISTINCT", r"batch, [\d.]+ ?\w", r"batch, \d events", r"START first",
                      r"START 2012-05-04", r"START 2012-05-05", r"GROUP BY", r"HAVING", r"PATH", r"LIMIT"],
    "hopping windows": [r"OUTPUT", r"hopping, [\d.]+ ?m?s, ", r"hopping, 2s, 1s", r"hopping, 1s, 2s",
                        r"hopping, \d events", r"hopping, 1 events, 2", r"GROUP BY", r"HAVING", r"PATH", r"LIMIT"],
    "cumulate windows": [r"cumulate, 2s, 1s", r"cumulate, 1min", r"GROUP BY", r"HAVING", r"PATH", r"LIMIT"],
    "session windows": [r"session, 1s", r"session, 2s", r"session, 1min", r"GROUP BY", r"HAVING", r"PATH", r"LIMIT"],
    "sequences": [r"DISTINCT", r"OUTPUT ALL", r"OUTPUT FIRST", r"OUTPUT LAST",
                  r"GROUP BY",
                  r"SKIP PAST LAST EVENT", r"SKIP TO NEXT EVENT", r"SKIP TO FIRST", r"SKIP TO LAST", r"CONSUME",
                  r"PARTITION BY.*AFTER MATCH [SC]",
                  r"SEQ \(\?\w, \?\w\)", r"SEQ \(\?\w, \?\w, \?\w\)", r"JOIN", r"PARTITION BY sensorID",
                  r"PARTITION BY open", r"POLICY any", r"WINDOW[^\n]*\n[^\n]*WINDOW", r"PATH", r"LIMIT"],
    "joins": [r"SKIP", r"CONSUME", r"sliding, \d events.*AFTER MATCH [SC]",
              r"JOIN", r"WINDOW \(\?a, \?b", r"sliding, [\d.]+ ?\w", r"sliding, \d events", r"PARTITION BY", r"PATH"],
    "documents": [r"OUTPUT.*;", r"CREATE QUERY", r"busy AS.*AVG.*sliding", r"busy AS.*AVG.*batch", r"busy AS.*SEQ",
                  r"busy AS.*AVG.*session", r"\?d, sliding", r"\?d, batch", r"\?d, hopping",
                  r"SEQ \(\?d, \?f\)", r"SEQ \(\?d, \?e\)", r"twice"],
    "bounds": [r"WITHIN \(", r"WITHIN \[", r"now - ", r"now \+ ", r"WITHIN.*2012.*[\])]", r", \d.*\]", r", \d.*\)"],
}  # fmt: skip


class _Covered(Exception):
    """Nothing is left to be seen."""


@pytest.mark.parametrize("family", some_of(CONSTRUCTS, 2))
def test_every_construct_is_asked_about_and_answered(family: str) -> None:
    """Of a few hundred questions of a family, each construct stands in some that have rows."""
    missing = set(CONSTRUCTS[family])

    @settings(
        max_examples=1000, derandomize=True, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(case=bounded_cases() if family not in FAMILIES else cases(family))
    def ask(case: Case) -> None:
        new = {construct for construct in missing if re.search(construct, case.text, re.DOTALL)}
        if new and oracle_of(case.campus.seed).evaluate(case.text, case.streams, case.registered_at):
            missing.difference_update(new)
        if not missing:
            raise _Covered

    with contextlib.suppress(_Covered):
        ask()
    assert sorted(missing) == []
