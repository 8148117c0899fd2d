"""SPARQL over HTTP: in each form of request, in each form of answer, with every refusal."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import timedelta
from http.client import HTTPConnection
from urllib.parse import quote, urlencode, urlsplit

import pytest
from kaicep.config import Settings
from kaicep.settings import TokenSettings
from support.command_line import wait_for
from support.servers import Answer, ask, finished, serving

COUNT = "SELECT (COUNT(?e) AS ?n) { ?e a e:AirflowReport }"
QUERY, FORM = "application/sparql-query", "application/x-www-form-urlencoded"


def get(url: str, query: str, **headers: str) -> Answer:
    return ask(f"{url}/sparql?query={quote(query)}", **headers)


def test_it_is_asked_in_three_ways(archived_url: str) -> None:
    answers = (
        get(archived_url, COUNT, Accept="text/csv"),
        ask(f"{archived_url}/sparql", "POST", urlencode({"query": COUNT}), Accept="text/csv", Content_Type=FORM),
        ask(f"{archived_url}/sparql", "POST", COUNT, Accept="text/csv", Content_Type=QUERY),
    )
    assert [(one.status, one.media_type, one.text) for one in answers] == 3 * [(200, "text/csv", "n\r\n150\r\n")]


@pytest.mark.parametrize(
    ("query", "media"),
    [
        (COUNT, "application/sparql-results+json"),
        (COUNT, "application/sparql-results+xml"),
        (COUNT, "text/tab-separated-values"),
        ("ASK {}", "application/sparql-results+xml"),
        ("DESCRIBE e:s1", "application/n-triples"),
        ("CONSTRUCT { ?s ?p ?o } { ?s ?p ?o } LIMIT 1", "application/rdf+xml"),
        ("CONSTRUCT { ?s ?p ?o } { ?s ?p ?o } LIMIT 1", "application/ld+json"),
    ],
)
def test_it_answers_in_the_form_that_is_wanted(archived_url: str, query: str, media: str) -> None:
    found = get(archived_url, query, Accept=media)
    assert (found.status, found.media_type, found.headers["vary"]) == (200, media, "Accept")
    assert found.body


@pytest.mark.parametrize(
    ("path", "media"),
    [
        ("/sparql?query=ASK%20%7B%7D", "text/csv"),
        ("/sparql?query=CONSTRUCT%20WHERE%20%7B%3Fs%20%3Fp%20%3Fo%7D%20LIMIT%201", "application/n-triples"),
        ("/datasets/notes/graphs?default", "application/n-triples"),
        ("/nothing", "application/problem+json"),
    ],
)
def test_several_lines_of_accept_are_one(archived_url: str, path: str, media: str) -> None:
    """RFC 9110, 5.3."""
    connection = HTTPConnection(urlsplit(archived_url).netloc)
    with closing(connection):
        connection.putrequest("GET", path)
        for accept in ("image/png", media):
            connection.putheader("Accept", accept)
        connection.endheaders()
        assert connection.getresponse().headers.get_content_type() == media


def test_graphs_of_the_request_are_the_dataset(archived_url: str) -> None:
    """Knowledge alone has no events."""
    knowledge = quote("urn:kaicep:graph:knowledge")
    found = ask(f"{archived_url}/sparql?query={quote(COUNT)}&default-graph-uri={knowledge}", Accept="text/csv")
    assert found.text == "n\r\n0\r\n"


def test_without_a_query_it_describes_itself(archived_url: str) -> None:
    found = ask(f"{archived_url}/sparql")
    assert (found.status, found.media_type) == (200, "text/turtle")
    assert f"sd:endpoint <{archived_url}/sparql>" in found.text
    assert ask(f"{archived_url}/sparql", Accept="image/png").status == 406


def test_what_is_wrong_has_its_place(archived_url: str) -> None:
    found = get(archived_url, "SELECT * { ?s f:p ?o }")
    assert (found.status, found.media_type) == (400, "application/problem+json")
    assert found.json["place"] == {
        "source": "query", "line": 1, "column": 15, "length": 2, "text": "SELECT * { ?s f:p ?o }"
    }  # fmt: skip
    assert found.json["text"].startswith("query:1:15: unknown prefix 'f:'\n  1 | SELECT * { ?s f:p ?o }\n    |       ")
    plain = get(archived_url, "SELECT * { ?s f:p ?o }", Accept="application/sparql-results+json,*/*;q=0.9")
    assert (plain.status, plain.media_type, plain.text) == (400, "text/plain", found.json["text"])


@pytest.mark.parametrize(
    ("method", "headers", "body", "status"),
    [
        ("POST", {"Content_Type": "text/plain"}, "ASK {}", 415),
        ("POST", {"Content_Type": QUERY, "Accept": "image/png, application/problem+json"}, "ASK {}", 406),
        ("POST", {"Content_Type": "application/sparql-update"}, "CLEAR ALL", 403),
        ("PUT", {"Content_Type": QUERY}, "ASK {}", 405),
        ("POST", {"Content_Type": QUERY}, "SELECT * { SERVICE <http://x/> { ?s ?p ?o } }", 400),
        ("POST", {"Content_Type": QUERY}, "SELECT (REPEAT_ AS ?x) {}", 400),
        ("POST", {"Content_Type": QUERY}, "SELECT * { ?a ?b ?c . ?d ?e ?f }", 400),
    ],
)
def test_every_refusal_is_a_problem(
    archived_url: str, method: str, headers: dict[str, str], body: str, status: int
) -> None:
    """The last one has an answer of more than a megabyte."""
    found = ask(f"{archived_url}/sparql", method, body, **headers)
    assert (found.status, found.media_type, found.json["status"]) == (status, "application/problem+json", status)


def test_a_request_has_its_size(archived_url: str) -> None:
    found = ask(f"{archived_url}/sparql", "POST", "ASK {} #" + 1_000_000 * "x", Content_Type=QUERY)
    assert (found.status, found.json["detail"]) == (413, "more than 1,000,000 bytes")


def test_a_dataset_takes_updates_where_that_is_said(archived_url: str) -> None:
    update = {"Content_Type": "application/sparql-update"}
    notes = f"{archived_url}/datasets/notes/sparql"
    assert ask(notes, "POST", "INSERT DATA { e:s1 e:note 'noisy' }", **update).status == 204
    found = ask(f"{notes}?query={quote('SELECT ?n { e:s1 e:note ?n }')}", Accept="text/csv")
    assert found.text == "n\r\nnoisy\r\n"
    fixed = ask(f"{archived_url}/datasets/fixed/sparql", "POST", "CLEAR ALL", **update)
    assert (fixed.status, fixed.json["detail"]) == (403, "this dataset takes no updates")


@pytest.mark.slow
def test_what_one_user_asks_is_stopped_and_the_others_go_on(
    archived: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However much it is: six questions that would take for ever, and one process for each user."""
    tokens = {name: 32 * name[0] for name in ("anne", "bert")}
    for name, token in tokens.items():
        monkeypatch.setenv(name.upper(), token)
    table = {name: TokenSettings(token=f"env:{name.upper()}") for name in tokens}
    server = archived.server.model_copy(update={"tokens": table, "query_timeout": timedelta(seconds=3)})
    endless = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l FILTER(STR(?c) < STR(?l)) }"
    with serving(archived.model_copy(update={"server": server})) as url, ThreadPoolExecutor(6) as threads:

        def put(query: str, name: str) -> Answer:
            return ask(
                f"{url}/sparql",
                "POST",
                query,
                Content_Type="application/sparql-query",
                Authorization=f"Bearer {tokens[name]}",
            )

        assert put("ASK {}", "bert").json["boolean"]
        greedy = [threads.submit(put, endless, "anne") for _ in range(6)]
        time.sleep(0.5)
        assert put("ASK {}", "bert").json["boolean"]
        assert ask(f"{url}/ready").status == 200
        assert {one.result().status for one in greedy} == {503}


def test_who_does_not_want_to_wait_has_a_job_whose_result_is_the_document(archived_url: str) -> None:
    """In the form that was wanted; what is wrong with the query is told by the job, and as its result."""
    begun = get(archived_url, COUNT, Accept="text/csv", Prefer="respond-async")
    job = finished(archived_url, begun)
    assert (job["kind"], job["about"], job["state"]) == ("sparql", COUNT, "done")
    assert job["result"] == {"media_type": "text/csv", "bytes": 8}
    found = ask(f"{archived_url}{begun.headers['location']}/result")
    assert (found.status, found.media_type, found.text) == (200, "text/csv", "n\r\n150\r\n")
    assert ask(f"{archived_url}{begun.headers['location']}", "DELETE").status == 204
    assert ask(f"{archived_url}{begun.headers['location']}/result").status == 404
    wrong = get(archived_url, "SELECT * HERE {}", Prefer="respond-async")
    assert finished(archived_url, wrong)["problem"]["place"]["column"] == 16
    assert ask(f"{archived_url}{wrong.headers['location']}/result").json["place"]["column"] == 16


def test_a_job_may_take_longer_than_an_answer_and_is_cancelled(archived_url: str) -> None:
    """Others are answered meanwhile: it has a process of its own."""
    endless = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }"
    job = f"{archived_url}{get(archived_url, endless, Prefer='respond-async').headers['location']}"
    wait_for(lambda: ask(job).json["stage"] == "answering")
    assert ask(job).json["progress"] is None
    early = ask(f"{job}/result")
    assert (early.status, early.json["hint"]) == (409, "GET /jobs/ID tells when it is done")
    assert get(archived_url, COUNT, Accept="text/csv").text == "n\r\n150\r\n"
    assert ask(job, "DELETE").status == 204
    assert ask(job).json["state"] == "cancelled"
    assert ask(f"{job}/result").status == 409


def test_a_dataset_that_people_change_answers_at_once(archived_url: str) -> None:
    """Its processes are few, and a job would keep one from others."""
    assert ask(f"{archived_url}/datasets/notes/sparql?query=ASK%20%7B%7D", Prefer="respond-async").status == 200
