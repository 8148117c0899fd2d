"""Checks a project as a whole: everything that it names is loaded, and every fault is told, not only the first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from ..annotator import Annotator
from ..config import Settings
from ..errors import KaicepError
from ..language.nodes import Query
from ..ontology import KnowledgeBase, load_knowledge
from ..ontology.consistency import contradiction_error
from ..pipeline import Catalog, query_files, read_document
from .contradiction_report import contradiction_table, left_out_lines, write_fix

__all__ = ["Report", "check_project", "warnings_of"]

Result = TypeVar("Result")


@dataclass(slots=True)
class Report:
    """What a check found.

    Attributes:
        found: what is there and in order, one line each.
        faults: what is not, as messages.
        warnings: what may be wrong: names that no loaded knowledge has.
        skipped: what could not be checked because of a fault.
        contradictions: a table of them, and what was done about them, line by line.
    """

    found: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    contradictions: list[str] = field(default_factory=list)

    def attempt(self, step: Callable[[], Result]) -> Result | None:
        """Return the result of a step, or `None` and note its fault."""
        try:
            return step()
        except KaicepError as error:
            self.faults += [str(error), *getattr(error, "__notes__", [])]
            return None


def check_project(path: Path, fix: Path | None = None) -> Report:
    """Check the settings, the knowledge, each annotation and each query of a project.

    Args:
        path: of the project file.
        fix: where a patch is written that takes back what contradicts other statements; `None`: nowhere.
    """
    report = Report()
    settings = report.attempt(lambda: Settings.load(path))
    if settings is None:
        return report
    report.found.append(f"project {settings.file}")
    knowledge = report.attempt(lambda: load_knowledge(_suffering(settings)))
    if knowledge is None:
        report.skipped.append("annotations and queries, since the knowledge cannot be loaded")
        return report
    size, modules = knowledge.triples, len(knowledge.modules)
    reasoner = settings.knowledge.reasoner
    report.found.append(f"knowledge: {size:,} statements in {modules} modules, closed by {reasoner}")
    _tell_contradictions(report, settings, knowledge, fix)
    annotators = _annotators(report, settings, knowledge)
    if len(annotators) < len(settings.streams):
        report.skipped.append("queries, since not all streams can be annotated")
        return report
    project = Catalog(settings, knowledge, annotators)
    report.warnings += warnings_of(project, _queries(report, project))
    return report


def _suffering(settings: Settings) -> Settings:
    """The settings with contradictions suffered, that would be refused: whoever is told of them is told of the rest."""
    if settings.knowledge.on_contradiction != "refuse":
        return settings
    knowledge = settings.knowledge.model_copy(update={"on_contradiction": "warn"})
    return settings.model_copy(update={"knowledge": knowledge})


def _tell_contradictions(report: Report, settings: Settings, knowledge: KnowledgeBase, fix: Path | None) -> None:
    if knowledge.contradictions:
        if settings.knowledge.on_contradiction == "refuse":
            error = contradiction_error(knowledge.contradictions, knowledge.modules, settings.prefixes)
            report.faults.append(str(error))
        report.contradictions += contradiction_table(knowledge)
    report.contradictions += left_out_lines(knowledge)
    if fix is not None and (number := report.attempt(lambda: write_fix(knowledge, fix))) is not None:
        said = f"{fix}: takes {number:,} statement{'s' * (number != 1)} back (SPARQL Update)"
        report.found.append(said if number else f"no contradictions: {fix} is not written")


def warnings_of(project: Catalog, queries: Sequence[Query]) -> list[str]:
    """Return what a project's modules import, its annotations and queries name, and nobody has: it may come later."""
    found = [*project.knowledge.warnings, *_told_of_contradictions(project)]
    found += [warning for annotator in project.annotators.values() for warning in annotator.warnings]
    found += [warning for query in queries for warning in query.warnings]
    return [f"warning: {warning}" for warning in found]


def _told_of_contradictions(project: Catalog) -> Iterator[str]:
    number, policy = len(project.knowledge.left_out), project.settings.knowledge.on_contradiction
    if number:
        are = "statements are" if number > 1 else "statement is"
        yield f"{number:,} {are} left out, since they contradict others: `kaicep check` lists them"
    if project.knowledge.contradictions and policy == "warn":
        yield "the knowledge contradicts itself, and is taken as it is: `kaicep check` lists how"


def _annotators(report: Report, settings: Settings, knowledge: KnowledgeBase) -> dict[str, Annotator]:
    annotators = {}
    for name, stream in settings.streams.items():
        annotator = report.attempt(lambda name=name: Annotator(name, settings, knowledge))  # type: ignore[misc]  # mypy cannot infer a default's type
        if annotator is None:
            continue
        annotators[name] = annotator
        source = (
            "no source" if stream.source is None else f"{stream.source.format} from {stream.source.path or 'Spark'}"
        )
        report.found.append(f"stream {name}: {stream.event_type}, {len(stream.attributes)} attributes, {source}")
    return annotators


def _queries(report: Report, project: Catalog) -> list[Query]:
    known: list[Query] = []
    for path in report.attempt(lambda: query_files(project.settings)) or ():
        compiled = report.attempt(lambda path=path: _compiled(project, path, known))  # type: ignore[misc]  # likewise
        for query in compiled or ():
            known.append(query)
            report.found.append(f"query {query.name or path.stem}: {path}")
    return known


def _compiled(project: Catalog, path: Path, known: list[Query]) -> tuple[Query, ...]:
    return project.compile(read_document(path), source=str(path), outputs=known)
