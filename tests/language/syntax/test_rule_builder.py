"""Rules as written, in the syntax tree."""

from __future__ import annotations

import pytest
from kaicep.errors import QuerySyntaxError
from kaicep.language import syntax_tree as syntax
from kaicep.language.nodes import ChangeKind
from kaicep.language.syntax import parse_document


def rule(text: str) -> syntax.Statement:
    """The one statement of a text, a rule."""
    (found,) = parse_document(text)
    assert isinstance(found, syntax.Statement)
    assert found.rule is not None
    return found


def test_a_rule_has_rows_conditions_and_actions() -> None:
    actions = "EMIT E(?r.x AS x), CALL kaicep:submit(?r.x AS x, 1 AS y), INITIATE CONTEXT road.jam (?r.x) AT (?r.seg)"
    text = f"CREATE RULE r ON hot AS ?r IF (?r.x > 1) IF ASK {{ ?r_seg a x:Road }} DO {actions} DEFERRED PRIORITY 2;"
    found = rule(text)
    assert found.name is not None
    assert found.name.text == "r"
    (source,) = found.query.sources
    assert (source.variable.name, getattr(source.stream, "text", None)) == ("r", "hot")
    assert (len(found.query.filters), [path.asks for path in found.query.paths]) == (1, [True])  # type: ignore[union-attr]
    assert found.rule is not None
    emit, call, change = found.rule.actions
    assert isinstance(emit, syntax.EmitClause)
    assert isinstance(call, syntax.CallClause)
    assert isinstance(change, syntax.RuleChange)
    assert (emit.stream.text, call.action.text, change.change.kind) == ("E", "kaicep:submit", ChangeKind.INITIATE)
    assert [a.name.text for a in call.arguments if a.name] == ["x", "y"]
    assert (len(change.items), change.change.keys is not None) == (1, True)
    assert (found.rule.deferred, found.rule.priority) == (True, 2)


def test_what_is_left_out() -> None:
    found = rule("CREATE RULE r ON hot DO CALL go() IMMEDIATE")
    assert found.query.sources[0].variable.name == "row"
    assert (found.query.filters, found.query.paths) == ((), ())
    assert found.rule is not None
    assert (found.rule.deferred, found.rule.priority) == (False, None)


def test_rules_need_no_semicolon_between_them() -> None:
    assert len(parse_document("CREATE RULE a ON s DO CALL x() CREATE RULE b ON s DO CALL y() SELECT ?e.x")) == 3


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("CREATE RULE d ON hot DO CALL x() DETACHED", "every CALL is detached: it goes out when its row is durable"),
        (
            "CREATE RULE d ON hot DO WITHDRAW hot",
            "an action of the project does so: CALL kaicep:withdraw, or its name",
        ),
        ("CREATE RULE d ON hot DO CALL x(?row.a)", "expected AS"),
        ("CREATE RULE d ON hot IF ASK { ?row", "close it with '}'"),
    ],
)
def test_mistakes_are_told(text: str, hint: str) -> None:
    with pytest.raises(QuerySyntaxError) as error:
        parse_document(text)
    assert error.value.hint == hint
