"""How queries are answered, in words, as JSON, as pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Literal

import orjson
import pyoxigraph as ox

from ...api import Project
from ...config import Settings
from ...errors import PipelineError
from ...explain import (
    Diagram,
    DiagramFormat,
    PlanNode,
    automaton_diagram_of,
    explain_asked,
    explain_registrations,
    filter_graph_of,
    joined_diagrams,
    plan_diagram_of,
    plan_text,
    runtimes_of,
    transition_network_of,
    write_diagram,
)
from ...language.checks import asks_of_states
from ...pipeline import labelled, queries_read
from ...pipeline.asking import compile_asked
from ...pipeline.control import SubmittedQueries, folder_of, registered_at_start
from ...pipeline.flow import Registration
from ..problem import ProblemError
from ..sparql import Document

__all__ = ["ExplainedSubject", "ExplanationForm", "explain_registered", "explain_text"]

ExplanationForm = Literal["text", "json", "mermaid", "dot", "svg"]
ExplainedSubject = Literal["plan", "automata", "contexts", "filters"]
_MEDIA = {
    "text": "text/plain",
    "json": "application/json",
    "mermaid": "text/vnd.mermaid",
    "dot": "text/vnd.graphviz",
    "svg": "image/svg+xml",
}


def explain_text(
    _: ox.Store, settings: Settings, text: str, form: ExplanationForm, subject: ExplainedSubject
) -> Document:
    """How a document would be answered that is not registered.

    Args:
        settings: of the project.
        text: χ-CEP.
        form: of the answer.
        subject: the plan; or the automata of patterns, the contexts, what is asked of single events, as pictures.

    Raises:
        KaicepError: the document is wrong.
        ProblemError: 400, there is no such picture.
    """
    project = Project.of(settings)
    if asks_of_states(text):
        registered = registered_at_start(project, SubmittedQueries(folder_of(settings)).documents())
        asked = compile_asked(project, text, "query", [one.query for one in registered], ())
        return _plans(project, [explain_asked(project, asked)], form)
    read = labelled(queries_read(project, text))
    own = project.registrations(text, "query", [one.query for one in read])
    if not own:
        raise PipelineError("the document has no query", hint="add one, such as SELECT …")
    return _explained(project, [*read, *own], own, form, subject)


def explain_registered(
    _: ox.Store, settings: Settings, label: str, form: ExplanationForm, subject: ExplainedSubject
) -> Document:
    """How a registered query is answered.

    Raises:
        ProblemError: 404, its text is not known; 400, there is no such picture.
    """
    project = Project.of(settings)
    queries = registered_at_start(project, SubmittedQueries(folder_of(settings)).documents())
    own = [one for one in queries if one.label == label]
    if not own:
        raise ProblemError(404, f"the text of '{label}' is not known", "it is parked, or was given to kaicep run")
    return _explained(project, queries, own, form, subject)


def _explained(
    project: Project,
    queries: Sequence[Registration],
    own: Sequence[Registration],
    form: ExplanationForm,
    subject: ExplainedSubject,
) -> Document:
    labels = [one.label for one in own]
    if subject == "plan":
        plans = explain_registrations(project, queries)
        chosen = [plan for one, plan in zip(queries, plans, strict=True) if one.label in labels]
        return _plans(project, chosen, form)
    if form in ("text", "json"):
        raise ProblemError(400, f"{subject} are pictures", "take form=mermaid, dot or svg")
    match subject:
        case "automata":
            diagrams = [automaton_diagram_of(one.query) for one in own]
        case "contexts":
            diagrams = [transition_network_of(queries)]
        case "filters":
            diagrams = [filter_graph_of(runtimes_of(project, queries), project.knowledge.prefixes)]
    return _picture(diagrams, form)


def _plans(project: Project, plans: Sequence[PlanNode], form: ExplanationForm) -> Document:
    prefixes = project.knowledge.prefixes
    if form == "text":
        return Document(_MEDIA[form], "\n\n".join(plan_text(plan, prefixes) for plan in plans).encode())
    if form == "json":
        whole = plans[0] if len(plans) == 1 else PlanNode("document", children=tuple(plans))
        return Document(_MEDIA[form], orjson.dumps(asdict(whole)))
    return _picture([plan_diagram_of(plan, prefixes) for plan in plans], form)


def _picture(diagrams: Sequence[Diagram], form: ExplanationForm) -> Document:
    return Document(_MEDIA[form], write_diagram(joined_diagrams(diagrams), DiagramFormat(form)).encode())
