"""Where input comes in: each function takes a file's content, as a user would give it, and goes all the way with it."""

from __future__ import annotations

import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from kaicep import Engine, KaicepError, Project
from kaicep.archive import Archive
from kaicep.archive.sparql import Solutions
from kaicep.commands.project_check import check_project
from kaicep.commands.trials import infer_project, try_document
from kaicep.ontology.modules import ntriples
from kaicep.pipeline.control import Requests, folder_of
from kaicep.pipeline.durability import CheckpointedFlow
from kaicep.pipeline.sources import raw_table, read_file
from kaicep.server.events.posted_records import json_lines as posted_lines
from kaicep.server.graphs.rdf_upload import parsed, rdf_parts
from kaicep.server.problem import ProblemError

from .letters import stream
from .manual import PAGE, knowledge, settings

__all__ = [
    "ANNOTATION",
    "EVENTS",
    "MODEL",
    "PROJECT",
    "annotation_file",
    "bzip2_file",
    "csv_file",
    "gzip_file",
    "json_array",
    "json_document",
    "json_ld",
    "json_lines",
    "n_quads",
    "n_triples",
    "owl_xml",
    "page_query",
    "parquet_file",
    "plain_project",
    "posted_records",
    "project_file",
    "query_text",
    "rdf_xml",
    "request_file",
    "sparql_text",
    "trig",
    "tsv_file",
    "turtle",
    "uploaded_document",
    "wide_csv_file",
    "xz_file",
]

QUERY = "SELECT ?a.flow, ?b.sensor AS other JOIN (?a.sensor = ?b.sensor) SEQ (?a, ?b) WINDOW (?a, ?b, 1min)"
PROJECT = """
[prefixes]
ex = "urn:ex:"
[knowledge]
modules = ["*.ttl"]
[archive]
store = false
[streams.air]
event_type = "ex:Reading"
time = { attribute = "at", property = "ex:at" }
identity = ["sensor", "at"]
%s
[streams.air.attributes]
sensor = { property = "ex:sensor", individual = "ex:{}" }
flow = { property = "ex:flow", datatype = "xsd:double", unit = "unit:L-PER-SEC" }
count = { property = "ex:count", datatype = "xsd:integer" }
on = { property = "ex:on", datatype = "xsd:boolean" }
"""
ANNOTATED = """
[prefixes]
ex = "urn:ex:"
[knowledge]
modules = ["*.ttl"]
[streams.air]
annotation = "air.toml"
"""
ANNOTATION = (
    PROJECT.partition("[streams.air]\n")[2].replace("%s\n", "").replace("[streams.air.attributes]", "[attributes]")
)
MODEL = """
@prefix : <urn:ex:> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
:sensor a owl:ObjectProperty . :flow a owl:DatatypeProperty . :at a owl:DatatypeProperty .
:s1 :in :Room1 . :s2 :in :Room2 . :Room1 a :Lab . :Room2 a :Office .
"""
NOW = datetime(2026, 1, 2, tzinfo=UTC)
EVENTS = [
    {"sensor": f"s{n % 2 + 1}", "at": f"2026-01-01T00:00:{n:02d}Z", "flow": n * 1.5, "count": n, "on": n % 3 == 0}
    for n in range(20)
]


@contextmanager
def _folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="kaicep-hostile-"))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


@cache
def _project(source: str = "") -> Project:
    with _folder() as root:
        (root / "kaicep.toml").write_text(PROJECT % source)
        (root / "model.ttl").write_text(MODEL)
        return Project.load(root)


def plain_project() -> Project:
    """The project whose stream the records are of."""
    return _project()


def _records(name: str, content: bytes, source: str) -> str:
    """Read a file as `try` does, with and without a project, and as an engine does, which keeps it."""
    project = _project(source)
    with _folder() as root:
        path = root / name
        path.write_bytes(content)
        refused = [_tried(project, path), _tried(None, path)]
        raw = read_file(path, project.settings.streams["air"])
        catalog = replace(project, settings=project.settings.model_copy(update={"root": root}))
        with Archive(catalog.settings, catalog.knowledge, catalog.shapes) as archive:
            flow = CheckpointedFlow(catalog, root / "state", (), archive)
            flow.queries.submit(catalog.registrations(QUERY, "q"))
            result = flow.run(1, {"air": raw}, None, NOW)
            flow.close()
    stream = result.streams["air"]
    return f"{stream.events.num_rows} events, {stream.rejected.num_rows} rejected, {len(raw.malformed)} bad; {refused}"


def _tried(project: Project | None, path: Path) -> str:
    try:
        if project is not None:
            try_document(project, QUERY, [str(path)], quiet=False)
        else:
            inferred = infer_project([str(path)])
            (stream,) = inferred.project.settings.streams
            try_document(inferred.project, f"SELECT ?e._time AS time FROM (?e, {stream})", inferred.files)
    except KaicepError as error:
        return str(error)
    return ""


def json_lines(content: bytes) -> str:
    """One record a line."""
    return _records("events.jsonl", content, 'source = { format = "json", path = "in/" }')


def json_array(content: bytes) -> str:
    """An array of records."""
    return _records("events.json", content, 'source = { format = "json", path = "in/" }')


def json_document(content: bytes) -> str:
    """A file of one value, over several lines."""
    return _records("events.json", content, 'source = { format = "json", path = "in/", multiLine = true }')


def csv_file(content: bytes) -> str:
    """One record a line, with a header."""
    return _records("events.csv", content, 'source = { format = "csv", path = "in/" }')


def wide_csv_file(content: bytes) -> str:
    """A column for each sensor."""
    layout = 'source = { format = "csv", path = "in/", unpivot = { name = "sensor", value = "flow" } }'
    return _records("events.csv", content, layout)


def gzip_file(content: bytes) -> str:
    """A packed file."""
    return _records("events.csv.gz", content, 'source = { format = "csv", path = "in/" }')


def bzip2_file(content: bytes) -> str:
    """A packed file."""
    return _records("events.csv.bz2", content, 'source = { format = "csv", path = "in/" }')


def xz_file(content: bytes) -> str:
    """A packed file."""
    return _records("events.jsonl.xz", content, 'source = { format = "json", path = "in/" }')


def tsv_file(content: bytes) -> str:
    """Columns between tabs, in an encoding that has a letter for every byte."""
    source = 'source = { format = "csv", path = "in/", sep = "\\t", encoding = "windows-1252" }'
    return _records("events.csv", content, source)


def parquet_file(content: bytes) -> str:
    """A table."""
    return _records("events.parquet", content, 'source = { format = "parquet", path = "in/" }')


def query_text(content: bytes) -> str:
    """A document that is checked, explained and answered."""
    project, text = _project(), content.decode(errors="replace")
    queries = project.compile(text)
    for query in queries:
        project.explain(query)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return f"{len(project.evaluate(text, {'air': EVENTS}))} rows"


@cache
def _page() -> Project:
    """The project of the examples of docs/language.md."""
    page = PAGE.read_text(encoding="utf-8")
    with _folder() as root:
        (root / "house.ttl").write_text(knowledge(page))
        return Project.parse(settings(page, root))


def page_query(content: bytes) -> str:
    """Likewise a document in the project of docs/language.md."""
    project, text = _page(), content.decode(errors="replace")
    for query in project.compile(text):
        project.explain(query)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return f"{len(project.evaluate(text, stream('a1 b2 a3@3.5 n c4 b5 z6')))} rows"


def project_file(content: bytes) -> str:
    """A project file, with a model and a query beside it."""
    with _folder() as root:
        (root / "kaicep.toml").write_bytes(content)
        (root / "model.ttl").write_text(MODEL)
        (root / "high.chi").write_text("SELECT ?e.flow FILTER (?e.flow > 5)")
        return "; ".join(check_project(root).faults)


def annotation_file(content: bytes) -> str:
    """What a project file says of a stream, in a file of its own."""
    with _folder() as root:
        (root / "kaicep.toml").write_text(ANNOTATED)
        (root / "air.toml").write_bytes(content)
        (root / "model.ttl").write_text(MODEL)
        faults = check_project(root).faults
        if not faults:
            rows = Project.load(root).evaluate("SELECT ?e._time AS t FROM (?e, air)", {"air": EVENTS})
            faults = [f"{len(rows)} rows"]
        return "; ".join(faults)


def _ontology(name: str, content: bytes) -> str:
    with _folder() as root:
        (root / "kaicep.toml").write_text(f'[knowledge]\nmodules = ["{name}"]\ncache = "never"\n')
        (root / name).write_bytes(content)
        return "; ".join(check_project(root).faults)


def turtle(content: bytes) -> str:
    """A module in Turtle."""
    return _ontology("m.ttl", content)


def n_triples(content: bytes) -> str:
    """A module in N-Triples."""
    return _ontology("m.nt", content)


def n_quads(content: bytes) -> str:
    """A module in N-Quads."""
    return _ontology("m.nq", content)


def trig(content: bytes) -> str:
    """A module in TriG."""
    return _ontology("m.trig", content)


def json_ld(content: bytes) -> str:
    """A module in JSON-LD."""
    return _ontology("m.jsonld", content)


def rdf_xml(content: bytes) -> str:
    """A module in RDF/XML."""
    return _ontology("m.rdf", content)


def owl_xml(content: bytes) -> str:
    """A module in OWL/XML."""
    return _ontology("m.owx", content)


def request_file(content: bytes) -> str:
    """What another process asks of an engine."""
    with _folder() as root:
        project = replace(_project(), settings=_project().settings.model_copy(update={"root": root}))
        with Engine(project) as engine:
            assert engine._submissions is not None
            requests = Requests(folder_of(project.settings))
            (requests.folder / f"1-{os.getpid()}.request").write_bytes(content)
            for taken, asked in requests.waiting():
                requests.answer(taken, engine._submissions._answered(asked))
            return " ".join(path.read_text()[:200] for path in requests.folder.glob("*.answer"))


@cache
def _archive() -> Archive:
    root = Path(tempfile.mkdtemp(prefix="kaicep-hostile-"))
    settings = _project().settings
    settings = settings.model_copy(
        update={"root": root, "archive": settings.archive.model_copy(update={"store": True})}
    )
    catalog = replace(_project(), settings=settings)
    archive = Archive(catalog.settings, catalog.knowledge, catalog.shapes)
    archive.append(1, {"air": catalog.annotators["air"].annotate(raw_table(EVENTS)).events})
    archive.flush()
    return archive


def sparql_text(content: bytes) -> str:
    """A question to the archive."""
    found = _archive().query(content.decode(errors="replace"))
    return f"{len(list(found))} solutions" if isinstance(found, Solutions) else str(found)


def posted_records(content: bytes) -> str:
    """A body of events that somebody posts, behind a line that says what it is."""
    kind, _, body = content.partition(b"\n")
    with _refusing():
        return f"{len(posted_lines(kind.decode('latin-1'), body))} records"


def uploaded_document(content: bytes) -> str:
    """A document of RDF that somebody uploads, or a form with several, likewise."""
    kind, _, body = content.partition(b"\n")
    with _refusing():
        modules = parsed(rdf_parts(kind.decode("latin-1"), body), "urn:ex:base")
        return b"".join(map(ntriples, modules)).decode()


@contextmanager
def _refusing() -> Iterator[None]:
    try:
        yield
    except ProblemError as problem:
        raise problem.error from problem
