"""Which row of which deriving query opened a window."""

from __future__ import annotations

from kaicep.cep.contexts import Change, ContextHistory
from kaicep.cep.partitions import NO_START
from kaicep.explain.rows import DerivingRows, OpenerKind, with_shown_keys
from kaicep.language.nodes import ChangeKind
from kaicep.pipeline.flow import Registration
from support.context_families import contexts_project

TEXT = """
CREATE CONTEXTS road (clear DEFAULT, crash) BY seg;
INITIATE CONTEXT crash FROM (?c, C) WHERE { FILTER (?c.k = 'crash') };
SELECT ?e.id FROM (?e, P) IN CONTEXT clear
"""


def test_the_keys_of_changes_are_shown() -> None:
    deriving, other = (Registration(query, query.normal) for query in contexts_project(0).compile(TEXT))
    assert [item.hidden for item in deriving.query.items] == [True]
    assert [item.hidden for item in with_shown_keys(deriving).query.items] == [False]
    assert with_shown_keys(other) is other


def test_a_window_whose_row_is_not_known_says_so() -> None:
    """The first window of the default was opened by nobody."""
    query, _ = contexts_project(0).compile(TEXT)
    history, rows = ContextHistory(query.context_sets[0]), DerivingRows([Registration(query, "begin")])
    (default,) = history.windows("clear", "1", 5, 5)
    assert default.since == NO_START
    assert rows.opener(history, default).note == "no other context has held before"
    history.make([Change(10, ChangeKind.INITIATE, "crash", "1", (1,))])
    (crash,) = history.windows("crash", "1", 12, 12)
    assert rows.opener(history, crash).kind is OpenerKind.UNKNOWN
