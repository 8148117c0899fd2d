"""Checks a project as a whole: everything that it names is loaded, and every fault is told, not only the first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..annotator import Annotator
from ..config import Settings
from ..errors import ConfigError, KaicepError, Place, did_you_mean
from ..ontology import KnowledgeBase, load_knowledge
from ..ontology.consistency import contradiction_error
from ..ontology.reasoners import Closing, close
from ..pipeline import Catalog, query_files, read_document
from ..pipeline.flow import Registration
from .contradiction_report import contradiction_table, left_out_lines, write_fix
from .project_warnings import source_warnings, warnings_of

if TYPE_CHECKING:
    from ..explain import MappingReport
    from ..pipeline.flow import Dataflow

__all__ = ["Report", "check_project"]

Result = TypeVar("Result")
_SAID = ("found", "warnings", "faults", "contradictions", "skipped", "remarks")


@dataclass(slots=True)
class Report:
    """What a check found.

    Attributes:
        found: what is there and in order, one line each.
        faults: what is not, as messages.
        warnings: what may be wrong: names that no loaded knowledge has.
        skipped: what could not be checked because of a fault.
        contradictions: a table of them, and what was done about them, line by line.
        remarks: what of recorded events could not be used.
        mapping: how recorded events go with it; `None`: there were none.
    """

    found: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    contradictions: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    mapping: MappingReport | None = None
    prefixes: Mapping[str, str] = field(default_factory=dict)

    def mapping_lines(self) -> list[str]:
        """How recorded events go with the project, in lines."""
        if self.mapping is None:
            return []
        from ..explain import mapping_lines

        return mapping_lines(self.mapping, self.prefixes)

    def as_dict(self) -> dict[str, Any]:
        """All of it as JSON has it."""
        from ..explain import mapping_dict

        said = {name: getattr(self, name) for name in _SAID}
        return {**said, "mapping": None if self.mapping is None else mapping_dict(self.mapping)}

    def attempt(self, step: Callable[[], Result]) -> Result | None:
        """Return the result of a step, or `None` and note its fault."""
        try:
            return step()
        except KaicepError as error:
            self.faults += [str(error), *getattr(error, "__notes__", [])]
            return None


def check_project(
    path: Path,
    fix: Path | None = None,
    events: Sequence[str] = (),
    stream: str | None = None,
    closing: Closing = close,
) -> Report:
    """Check the settings, the knowledge, each annotation and each query of a project.

    Args:
        path: of the project file, or its folder.
        fix: where a patch is written that takes back what contradicts other statements; `None`: nowhere.
        events: recorded events, each `FILE` or `STREAM=FILE`: what the queries make of them is reported.
        stream: what a plain `FILE` is of.
        closing: closes the knowledge, unless its closure is kept.
    """
    report = Report()
    settings = report.attempt(lambda: Settings.load(path))
    if settings is None:
        return report
    report.found.append(f"project {settings.file}")
    needs = _needs_of_actions(report, settings)
    _check_sinks(report, settings)
    knowledge = report.attempt(lambda: load_knowledge(_suffering(settings), closing))
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
    before = len(report.faults)
    queries = _queries(report, project)
    whole = len(report.faults) == before
    if whole:
        report.attempt(lambda: _check_services(settings, queries))
    _check_arguments(report, queries, needs)
    report.warnings += _unknown_queries(settings, queries)
    report.prefixes = settings.prefixes
    report.warnings += warnings_of(project, [registration.query for registration in queries], whole=whole)
    if events:
        report.attempt(lambda: _try_events(report, project, queries, events, stream))
    else:
        report.warnings += source_warnings(settings)
    return report


def _needs_of_actions(report: Report, settings: Settings) -> dict[str, frozenset[str]]:
    """The actions that could be begun, and the values that their templates need."""
    if not settings.actions:
        return {}
    from ..pipeline.actions import action_specs, check_action

    found = {}
    for name, spec in action_specs(settings).items():
        needs = report.attempt(lambda spec=spec: check_action(spec))  # type: ignore[misc]  # mypy cannot infer a default's type
        if needs is not None:
            found[name] = needs
            report.found.append(f"action {name}: {spec.settings.key}")
    return found


def _check_sinks(report: Report, settings: Settings) -> None:
    if not settings.sinks:
        return
    from ..pipeline.sinks.outgoing import check_sink

    before = len(report.faults)
    for name, sink in settings.sinks.items():
        report.attempt(lambda name=name: check_sink(settings, name))  # type: ignore[misc]  # likewise
        if len(report.faults) == before:
            report.found.append(f"sink {name}: {sink.kind}")


def _unknown_queries(settings: Settings, queries: Sequence[Registration]) -> Iterator[str]:
    """What sinks want the rows of, and nobody has: somebody may submit it."""
    known = {registration.label for registration in queries}
    for name, sink in settings.sinks.items():
        yield from (
            f"warning: sinks.{name}.queries: the project has no query '{query}'"
            for query in sink.queries
            if query not in known
        )


def _check_arguments(report: Report, queries: Sequence[Registration], needs: Mapping[str, frozenset[str]]) -> None:
    if needs:
        from ..pipeline.actions import check_arguments

        report.attempt(lambda: check_arguments([registration.query for registration in queries], needs))


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


def _try_events(
    report: Report, project: Catalog, queries: Sequence[Registration], events: Sequence[str], stream: str | None
) -> None:
    from ..explain import report_mapping
    from .trials import Trial, recorded_streams

    trial = Trial(project, queries, recorded_streams(project, events, stream))
    for _ in trial.results():
        pass
    report.remarks += trial.remarks()
    report.mapping = report_mapping(project, trial.dataflow.profile)


def _annotators(report: Report, settings: Settings, knowledge: KnowledgeBase) -> dict[str, Annotator]:
    annotators = {}
    for name, stream in settings.streams.items():
        annotator = report.attempt(lambda name=name: Annotator(name, settings, knowledge))  # type: ignore[misc]  # mypy cannot infer a default's type
        if annotator is None:
            continue
        annotators[name] = annotator
        source = (
            "no source" if stream.source is None else f"{stream.source.format} from {stream.source.place or 'Spark'}"
        )
        report.found.append(f"stream {name}: {stream.event_type}, {len(stream.attributes)} attributes, {source}")
    return annotators


def _queries(report: Report, project: Catalog) -> list[Registration]:
    known: list[Registration] = []
    dataflow = project.dataflow()
    for path in report.attempt(lambda: query_files(project.settings)) or ():
        registered = report.attempt(lambda path=path: _registered(project, dataflow, path, known))  # type: ignore[misc]  # likewise
        for registration in registered or ():
            known.append(registration)
            report.found.append(f"query {registration.label}: {path}")
    dataflow.close()
    sets = dict.fromkeys(own for registration in known for own in registration.query.context_sets)
    report.found += [f"contexts {own.name}: {', '.join(c.name for c in own.contexts)}" for own in sets]
    return known


def _check_services(settings: Settings, queries: Sequence[Registration]) -> None:
    """Refuse settings of queries that neither files have nor anybody has submitted, and those that do nothing."""
    for registration in queries:
        shed = settings.queries.service(registration.label).shed
        if shed is not None and all(source.stream.event_type is None for source in registration.query.sources):
            raise ConfigError(
                f"queries.{registration.label}.shed: '{registration.label}' reads no stream of the project",
                place=Place(settings.file),
                hint="let the queries shed that it reads",
            )
    known = [registration.label for registration in queries]
    unknown = [name for name in settings.queries.services if name not in known]
    if not unknown:
        return
    from ..pipeline.control import SubmittedQueries, folder_of

    submitted = [query for document in SubmittedQueries(folder_of(settings)).documents() for query in document.queries]
    name = next((name for name in unknown if name not in submitted), None)
    if name is not None:
        known = [*known, *submitted]
        hint = did_you_mean(name, known) or f"its queries: {', '.join(known) or 'none'}"
        raise ConfigError(f"queries.{name}: the project has no query '{name}'", place=Place(settings.file), hint=hint)


def _registered(
    project: Catalog, dataflow: Dataflow, path: Path, known: Sequence[Registration]
) -> tuple[Registration, ...]:
    """The queries of a document, registered as an engine does it: what that refuses, this does, and all or none."""
    outputs, taken = [registration.query for registration in known], [registration.label for registration in known]
    found = project.registrations(read_document(path), str(path), outputs, taken=taken)
    compiled = [dataflow.compile(registration) for registration in found]
    for registration, runtime in zip(found, compiled, strict=True):
        dataflow.register(registration, runtime)
    return found
