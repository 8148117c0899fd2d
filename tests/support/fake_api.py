"""A server of the real page that answers what the page asks, without an engine."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from kaicep.server.page import page_routes
from kaicep.settings import Role

from support.building_answers import ANSWERS
from support.building_rows import NOW, QUERIES, ROOMS, chart, identity, iso, matches, problems, recent, warnings, why

__all__ = ["fake_api"]

_HOST = "127.0.0.1"


def fake_api(token: str = "", pace_s: float = 1.0, role: Role = "admin") -> FastAPI:
    """The application.

    Args:
        token: that each request but those for the page has to show; empty: none.
        pace_s: between two new rows, in seconds.
        role: of whoever asks.
    """
    app = FastAPI()
    app.state.queries, app.state.seen, app.state.jobs = [dict(query) for query in QUERIES], [], {}
    app.state.modules = list(ANSWERS["/ontologies"]["modules"])

    @app.middleware("http")
    async def check(request: Request, go_on: Any) -> Response:
        path = request.url.path
        free = not token or path in ("/", "/ready") or path.startswith("/assets/")
        if free or request.headers.get("authorization") == f"Bearer {token}":
            answer: Response = await go_on(request)
            return answer
        return _problem(401, "a token is needed", "send the header Authorization: Bearer TOKEN")

    app.include_router(page_routes())
    _query_routes(app)
    _row_routes(app, pace_s)
    _asking_routes(app)
    _knowledge_routes(app)
    _alarm_routes(app)
    _job_routes(app)
    app.add_api_route("/client", _answering({"token": "operator" if token else None, "role": role}))
    for path in ("/streams", "/contexts", "/archive", "/examples", "/ready", "/vocabulary"):
        app.add_api_route(path, _answering(ANSWERS[path]))
    return app


def _answering(value: Any) -> Any:
    async def answer() -> Any:
        return value

    return answer


def _problem(status: int, detail: str, hint: str = "", **more: Any) -> JSONResponse:
    told = {"type": "urn:kaicep:error:Error", "title": "error", "status": status, "detail": detail, "hint": hint}
    told |= {"text": f"{detail}: {hint}", **more}
    return JSONResponse(told, status, media_type="application/problem+json")


def _query_routes(app: FastAPI) -> None:
    @app.get("/queries")
    async def queries() -> Any:
        return app.state.queries

    @app.post("/queries")
    async def submit(request: Request) -> Response:
        body = (await request.body()).decode()
        text = json.loads(body)["text"] if body.startswith("{") else body
        if found := problems(text):
            first = found[0]
            place = {"source": "query-1", "line": first["line"], "column": first["column"], "length": 5, "text": text}
            return _problem(422, first["message"], first["hint"], place=place)
        label = text.partition("QUERY ")[2].split()[0]
        app.state.queries.insert(0, QUERIES[0] | {"label": label, "text": text, "matches": 0})
        return JSONResponse({"labels": [label], "warnings": []}, 201)

    @app.get("/queries/{label}")
    async def query(label: str) -> Any:
        found = [one for one in app.state.queries if one["label"] == label]
        return found[0] if found else _problem(404, f"there is no query '{label}'", "GET /queries lists them")

    @app.delete("/queries/{label}")
    async def withdraw(label: str) -> Response:
        app.state.queries = [one for one in app.state.queries if one["label"] != label]
        return Response(status_code=204)

    @app.post("/queries/{label}/park")
    async def park(label: str) -> Any:
        for one in app.state.queries:
            told = {"state": "parked", "reason": f"'{label}' was parked on request"}
            one.update(told if one["label"] == label else {})
        return {}

    @app.post("/queries/{label}/resume")
    async def resume(label: str) -> Any:
        for one in app.state.queries:
            one.update({"state": "running", "reason": None} if one["label"] == label else {})
        return {}


def _row_routes(app: FastAPI, pace_s: float) -> None:
    @app.get("/queries/{label}/explain")
    async def explain(label: str) -> Any:
        return ANSWERS["plan"]

    @app.get("/queries/{label}/chart")
    async def chart_(label: str) -> Any:
        return chart(label)

    @app.get("/queries/{label}/matches")
    async def matches_(label: str, last: int = 50) -> Any:
        rows = matches(label)[-last:]
        return {"columns": list(rows[0]), "rows": rows, "next": None}

    @app.get("/queries/{label}/rows")
    async def rows(label: str) -> Response:
        return StreamingResponse(_rows(label, pace_s), media_type="text/event-stream")

    @app.get("/matches/{match}/why")
    async def why_(match: str, query: str) -> Any:
        return why(match, query)


async def _rows(label: str, pace_s: float) -> AsyncIterator[str]:
    yield ": hello\n\n"
    for n in range(100_000):
        await asyncio.sleep(pace_s)
        row = {**matches(label)[n % 60], "_id": identity(f"{label}/live/{n}"), "_time": iso(NOW)}
        yield f"id: {n}\nevent: row\ndata: {json.dumps(row)}\n\n"


def _asking_routes(app: FastAPI) -> None:
    @app.post("/check")
    async def check(request: Request) -> Any:
        text = (await request.body()).decode()
        found = problems(text)
        doubts = [] if found else warnings(text)
        return {"valid": not found, "asked": False, "problems": found, "warnings": doubts, "columns": []}

    @app.post("/explain")
    async def explain(request: Request) -> Any:
        return ANSWERS["plan"]

    @app.post("/try", status_code=202)
    async def try_(request: Request) -> Any:
        rows = matches("staleAir", 12)
        result = {"query": "staleAir", "columns": list(rows[0]), "rows": rows, "count": 12, "calls": {}}
        result |= {"events": {"reading": 21_097}, "mapping": ANSWERS["mapping"], "warnings": []}
        text = (await request.json())["text"]
        return _begun(app, "try", text, ("answering", 1 / 3), ("answering", 2 / 3), result=result)

    @app.post("/sparql")
    async def sparql(request: Request) -> Response:
        form = (await request.body()).decode()
        if "SELEC+" in form or "SELEC%20" in form:
            place = {"source": "query", "line": 1, "column": 1, "length": 5, "text": "SELEC ?room {}"}
            return _problem(400, "this is no SPARQL", "expected here: SELECT, CONSTRUCT, DESCRIBE or ASK", place=place)
        if "csv" in request.headers.get("accept", ""):
            return Response("room,ppm\r\nroom1,612\r\n", media_type="text/csv")
        return JSONResponse(ANSWERS["/sparql"], media_type="application/sparql-results+json")


def _knowledge_routes(app: FastAPI) -> None:
    @app.get("/streams/{name}")
    async def stream(name: str) -> Any:
        return ANSWERS["/streams/reading"] | {"name": name}

    @app.get("/streams/{name}/events")
    async def events(name: str, last: int = 20) -> Any:
        return [recent(n) for n in range(last)]

    @app.get("/classes")
    async def classes(parent: str = "") -> Any:
        return ANSWERS["classes"].get(parent, [])

    @app.get("/individuals")
    async def individuals(iri: str = "", search: str = "") -> Any:
        one = ANSWERS["individual"]
        if iri:
            return one | {"iri": iri}
        return [{name: one[name] for name in ("iri", "prefixed", "label", "classes")}]

    @app.get("/ontologies")
    async def ontologies() -> Any:
        return ANSWERS["/ontologies"] | {"modules": app.state.modules}

    @app.delete("/graphs", status_code=202)
    async def remove(graph: str, request: Request) -> Any:
        assert request.headers["prefer"] == "respond-async"
        app.state.modules = [one for one in app.state.modules if one["name"] != graph]
        return _begun(app, "removal", graph, ("reasoning", 0.05), result={"graph": graph})

    @app.put("/graphs/{name}", status_code=202)
    async def upload(name: str, request: Request) -> Any:
        assert request.headers["prefer"] == "respond-async"
        graph = f"http://127.0.0.1/graphs/{name}"
        body, stages = await request.body(), [("parsing", 0.03), ("reasoning", 0.05)]
        if b"Contradiction" in body:
            first, other = (f"robod:room{n} is both brick:Room and brick:Sensor, which are disjoint" for n in (1, 2))
            said = f"the knowledge contradicts itself: {first} (and 1 more)"
            hint = "take one of the statements back, see rooms.ttl"
            problem = {"error": "OntologyError", "status": 409, "detail": said, "text": f"{said}: {hint}", "hint": hint}
            return _begun(app, "upload", graph, *stages, problem={**problem, "notes": [other]})
        module: dict[str, Any] = {"name": graph, "iri": None, "triples": 12, "imports": [], "imported": False}
        app.state.modules = [*(one for one in app.state.modules if one["name"] != graph), module]
        stages += 10_000 * [("reasoning", 0.05)] if b"Large" in body else [("keeping", 0.8)]
        return _begun(app, "upload", graph, *stages, result={"graph": graph, "new": b"Again" not in body})


def _begun(app: FastAPI, kind: str, about: str, *stages: tuple[str, float], **ended: Any) -> dict[str, str]:
    """Begin a job that comes on by a stage whenever it is asked for, and is `done`, or `failed`, then."""
    name, nothing = str(len(app.state.jobs) + 1), dict.fromkeys(("progress", "stage", "result", "problem"))
    told = {"id": name, "kind": kind, "state": "running", "created": iso(NOW), "about": about, **nothing}
    ways = [{"stage": stage, "progress": share} for stage, share in stages]
    end = {"state": "failed" if "problem" in ended else "done", "stage": None, **ended}
    end |= {"progress": 1.0} if end["state"] == "done" else {}
    app.state.jobs[name] = (told, [*ways, end])
    return {"job": name}


def _job_routes(app: FastAPI) -> None:
    @app.get("/jobs")
    async def jobs() -> Any:
        return [told | {"result": None} for told, _ in reversed(app.state.jobs.values())]

    @app.get("/jobs/{job}")
    async def job(job: str) -> Any:
        if job not in app.state.jobs:
            return _problem(404, f"there is no job '{job}'", "this server began later")
        told, left = app.state.jobs[job]
        told.update(left.pop(0) if left else {})
        return told

    @app.delete("/jobs/{job}")
    async def cancel(job: str) -> Response:
        told, left = app.state.jobs[job]
        told.update({"state": "cancelled", "stage": None})
        left.clear()
        return Response(status_code=204)


def _alarm_routes(app: FastAPI) -> None:
    @app.get("/alarms")
    async def alarms() -> Any:
        seen = {
            alarm: {"state": "acknowledged", "acknowledged": iso(NOW), "who": who, "by": None}
            for alarm, who in app.state.seen
        }
        return [one | seen.get(one["id"], {}) for one in ANSWERS["/alarms"]]

    @app.post("/alarms/{alarm}/acknowledge", status_code=202)
    async def acknowledge(alarm: str, request: Request) -> Any:
        app.state.seen.append((alarm, (await request.json())["who"]))
        return {"says": "seen", "room": ROOMS[0], "at": iso(NOW), "who": app.state.seen[-1][1]}


if __name__ == "__main__":
    uvicorn.run(fake_api(pace_s=2.0), host=_HOST, port=int(sys.argv[1]), log_level="warning")
