"""What a request asks, in each of its forms; what it may not be."""

from __future__ import annotations

import pytest
from kaicep.server.problem import ProblemError
from kaicep.server.sparql.protocol_request import ProtocolRequest, content_type_of, fields_of, of_body, of_url

FORM, QUERY, UPDATE = "application/x-www-form-urlencoded", "application/sparql-query", "application/sparql-update"
GRAPH = ("default-graph-uri", "urn:g")


def test_a_get_asks_or_asks_nothing() -> None:
    assert of_url([]) == ProtocolRequest(None, None)
    asked = of_url([("query", "ASK {}"), GRAPH, GRAPH, ("named-graph-uri", "urn:h"), ("other", "x")])
    assert asked == ProtocolRequest("ASK {}", None, ("urn:g", "urn:g"), ("urn:h",))


def test_an_address_is_utf_8() -> None:
    assert fields_of("query=%C3%A4+b&x=&x=1") == [("query", "ä b"), ("x", ""), ("x", "1")]
    with pytest.raises(ProblemError, match="the address cannot be read") as refused:
        fields_of("query=SELECT%20%22%E4%22")
    assert refused.value.status == 400


def test_a_post_asks_by_form_or_by_its_body() -> None:
    asked = ProtocolRequest("ASK {}", None, ("urn:g",))
    assert of_body(FORM, b"query=ASK+%7B%7D&default-graph-uri=urn:g", []) == asked
    assert of_body(FORM, b"query=ASK+%7B%7D", [GRAPH]) == asked
    assert of_body(f"{QUERY}; charset=UTF-8", b"ASK {}", [GRAPH]) == asked


def test_an_update_names_its_graphs_otherwise() -> None:
    wanted = ProtocolRequest(None, "CLEAR ALL", ("urn:g",), ("urn:h",))
    fields = [("using-graph-uri", "urn:g"), ("using-named-graph-uri", "urn:h"), ("default-graph-uri", "urn:no")]
    assert of_body(UPDATE, b"CLEAR ALL", fields) == wanted
    assert of_body(FORM, b"update=CLEAR+ALL&using-graph-uri=urn:g&using-named-graph-uri=urn:h", []) == wanted


@pytest.mark.parametrize(
    ("content_type", "body", "status"),
    [
        (None, b"ASK {}", 415),
        ("text/plain", b"ASK {}", 415),
        (f"{QUERY}; charset=UTF-16", b"ASK {}", 415),
        (QUERY, b"ASK {} # \xff", 400),
        (FORM, b"query=%ff", 400),
        (FORM, b"", 400),
        (FORM, b"query=ASK&update=CLEAR", 400),
        (FORM, b"query=ASK&query=ASK", 400),
        (FORM, b"&".join([b"x=1"] * 2000), 400),
        (FORM, b"query=ASK&default-graph-uri=no%20iri", 400),
    ],
)
def test_what_no_post_may_be(content_type: str | None, body: bytes, status: int) -> None:
    with pytest.raises(ProblemError) as refused:
        of_body(content_type, body, [])
    assert refused.value.status == status


def test_a_request_has_one_query() -> None:
    for fields in ([("query", "ASK {}"), ("query", "ASK {}")], [("update", "CLEAR ALL")]):
        with pytest.raises(ProblemError) as refused:
            of_url(fields)
        assert refused.value.status == 400
    with pytest.raises(ProblemError, match="another one as its body"):
        of_body(QUERY, b"ASK {}", [("query", "ASK {}")])


def test_a_content_type_is_read() -> None:
    assert content_type_of('Text/Turtle; charset="UTF-8"') == ("text/turtle", "utf-8")
    assert content_type_of(None) == (None, None)
