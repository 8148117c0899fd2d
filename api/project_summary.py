"""A project on a line and as a table: what Python and notebooks show of it."""

from __future__ import annotations

from html import escape

from ..language.nodes import AttributeType
from ..pipeline import Catalog

__all__ = ["project_html", "project_text"]

_NAMED = 5


def project_text(project: Catalog) -> str:
    """Return a project's file, streams and knowledge, on a line."""
    names = list(project.annotators)
    streams = ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
    number = f"{len(names)} stream{'s' * (len(names) != 1)}"
    said = f"{number} ({streams})" if names else "no streams"
    return f"<Project {project.settings.file}: {said}; knowledge of {project.knowledge.size}>"


def project_html(project: Catalog) -> str:
    """Return a project's streams as a table in HTML, each with its attributes, their types and units."""
    rows = "".join(
        f"<tr><td>{escape(name)}</td><td>{_short(project, annotator.stream_type.event_type)}</td>"
        f"<td>{', '.join(_attribute(project, a) for a in annotator.stream_type.attributes)}</td></tr>\n"
        for name, annotator in project.annotators.items()
    )
    caption = escape(f"{project.settings.file}: knowledge of {project.knowledge.size}")
    head = "<tr><th>stream</th><th>events are</th><th>attributes</th></tr>"
    return f"<table>\n<caption>{caption}</caption>\n<thead>{head}</thead>\n<tbody>\n{rows}</tbody>\n</table>"


def _attribute(project: Catalog, attribute: AttributeType) -> str:
    of = "an individual" if attribute.individual else attribute.type.value
    unit = f", {_short(project, attribute.unit)}" if attribute.unit else ""
    return f"<b>{escape(attribute.name)}</b> ({escape(of)}{unit})"


def _short(project: Catalog, iri: str | None) -> str:
    """An IRI as a prefixed name, escaped."""
    if iri is None:
        return ""
    for prefix, namespace in project.settings.prefixes.items():
        if iri.startswith(namespace) and len(iri) > len(namespace):
            return escape(f"{prefix}:{iri.removeprefix(namespace)}")
    return escape(iri)
