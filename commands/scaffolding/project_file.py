"""The text of a first project file, every line with what it rests on."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...annotator.recognition import ColumnRoles
from ..trials import EventSample
from .building_model import VOCABULARIES, BuildingModel
from .reading_layout import ReadingLayout

__all__ = ["STREAM", "ProjectDraft", "ontologies_text", "project_text", "unnamed"]

STREAM = "reading"
_SOSA = VOCABULARIES[1]
_POINTS = ("Sensor", "Setpoint", "Status", "Command", "Alarm", "Parameter", "Meter")
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class ProjectDraft:
    """What a first project is made of.

    Attributes:
        folder: where it is written.
        model: of the building.
        sample: of the readings.
        roles: of their columns.
        layout: of the readings.
        timezone: of time stamps that name none; `None`: UTC.
        ordered: whether readings come in order of time.
        on_contradiction: what becomes of a model that contradicts itself; `None`: it does not.
    """

    folder: Path
    model: BuildingModel
    sample: EventSample
    roles: ColumnRoles
    layout: ReadingLayout
    timezone: str | None = None
    ordered: bool = True
    on_contradiction: str | None = None

    @property
    def prefixes(self) -> dict[str, str]:
        """Those of SOSA, of the model, and of its ids."""
        used = {v.prefix: v.namespace for v in (_SOSA, *self.model.vocabularies)}
        own = {p: iri for p, iri in self.model.prefixes.items() if p not in {v.prefix for v in VOCABULARIES}}
        named = [iri for types in self.model.types.values() for iri in types] + list(self.layout.match.named.values())
        named += [self.layout.match.key] if self.layout.match.key is not None else []
        used |= {p: iri for p, iri in own.items() if any(name.startswith(iri) for name in named)}
        space = (self.layout.match.template or "").partition("{")[0]
        if space and space not in used.values():
            used[next(name for name in ("bldg", "bldg2", "bldg3") if name not in used)] = space
        return used

    @property
    def individual(self) -> str:
        """The keys of the id's attribute that say whom an id names, as TOML."""
        match = self.layout.match
        folded = ", ignore_case = true" if match.ignore_case else ""
        if match.key is not None:
            meant = "" if match.of_class is None else f", of_class = {quoted(self.short(match.of_class))}"
            return f"key = {quoted(self.short(match.key))}{meant}{folded}"
        before, mark, after = (match.template or "{}").partition("{")
        prefix = next((p for p, iri in self.prefixes.items() if iri == before), None)
        return f"individual = {quoted(f'{prefix}:{mark}{after}' if prefix else f'{mark}{after}')}{folded}"

    @property
    def linked(self) -> str:
        """What connects a reading with what its id names: a point, or what several points are of."""
        named = self.layout.match.named.values()
        points = sum(any(c.endswith(_POINTS) for c in self.model.types.get(iri, ())) for iri in named)
        point = len(self.layout.values) == 1 or 2 * points >= len(named)
        return "sosa:madeBySensor" if point else "sosa:hasFeatureOfInterest"

    @property
    def others(self) -> dict[str, str]:
        """The columns that are neither time nor id nor value nor point, and their types."""
        taken = {self.layout.id, *self.layout.values, *(self.layout.points if self.layout.form == "columns" else ())}
        return {name: kind for name, kind in self.roles.types.items() if name not in taken}

    def short(self, iri: str) -> str:
        """A prefixed name where one can be written, else `<iri>`."""
        return self.model.short(iri)


def quoted(text: str) -> str:
    """Text as TOML has it."""
    return json.dumps(text, ensure_ascii=False)


def ontologies_text(model: BuildingModel) -> str:
    """A module that imports the vocabularies of a model, which kaicep ships."""
    wanted = dict.fromkeys([*model.vocabularies, _SOSA])
    imports = " ,\n        ".join(f"<{v.ontology}>" for v in wanted)
    return (
        "# The vocabularies that the model speaks in, and SOSA, which says what a reading is. kaicep has them.\n"
        "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n\n"
        f"<urn:kaicep:project:ontologies> a owl:Ontology ;\n    owl:imports {imports} .\n"
    )


def project_text(draft: ProjectDraft, command: str) -> str:
    """The project file.

    Args:
        draft: what it says.
        command: that makes it, for its first line.
    """
    return "\n".join([*_head(draft, command), *_stream(draft), *_attributes(draft)]) + "\n"


def _head(draft: ProjectDraft, command: str) -> Iterator[str]:
    yield f"# Made by `{command}`. It says what was found; change what is wrong."
    yield "# Every key is explained in docs/project.md; `kaicep check .` looks at all of it."
    yield "\n[prefixes]"
    width = max(len(prefix) for prefix in draft.prefixes)
    yield from (f"{prefix:{width}} = {quoted(iri)}" for prefix, iri in draft.prefixes.items())
    yield "\n[knowledge]"
    models = [quoted(relative(path, draft.folder)) for path in draft.model.paths]
    yield f'modules = [{", ".join(models)}, "ontologies.ttl"]   # the model, and what it speaks in'
    if draft.on_contradiction is not None:
        yield "# The model contradicts itself; `kaicep check .` lists where."
        yield f"on_contradiction = {quoted(draft.on_contradiction)}"
    yield '\n[queries]\nfiles = ["queries/*.chi"]'


def _stream(draft: ProjectDraft) -> Iterator[str]:
    roles, layout, written = draft.roles, draft.layout, draft.roles.written
    yield f"\n[streams.{STREAM}]"
    yield 'event_type = "sosa:Observation"'
    if not written.zoned and draft.timezone is None:
        yield '# The time stamps name no zone and are taken as UTC; else add timezone = "Europe/Copenhagen", say.'
    if written.rival is not None:
        yield f"# Nothing in them tells {written.format} from {written.rival}."
    time = [f"attribute = {quoted(roles.time)}", 'property = "sosa:resultTime"']
    time += [f"format = {quoted(written.format)}"] if written.format != "iso" else []
    time += [f"timezone = {quoted(draft.timezone)}"] if draft.timezone is not None else []
    yield f"time       = {{ {', '.join(time)} }}"
    yield f"identity   = [{quoted(layout.id)}, {quoted(roles.time)}]   # a second reading with both is a duplicate"
    if not draft.ordered:
        yield "# Recorded readings that are not in order of time: they are sorted as they are read."
    yield f"source     = {{ {', '.join(_source(draft))} }}"


def _source(draft: ProjectDraft) -> Iterator[str]:
    sample, layout = draft.sample, draft.layout
    yield f"format = {quoted(sample.form)}"
    yield f"path = {quoted(relative(sample.path, draft.folder) + ('/' if sample.path.is_dir() else ''))}"
    if sample.separator not in {None, ","}:
        yield f"sep = {quoted(sample.separator or '')}"
    if sample.encoding is not None:
        yield f"encoding = {quoted(sample.encoding)}"
    if not draft.ordered:
        yield 'order = "time"'
    if layout.form == "files":
        yield f"file_name = {quoted(layout.id)}"
    if layout.form == "columns":
        (value,) = layout.values
        kept = [name for name in draft.others if not _is_attribute(name)]
        index = f", index = [{', '.join(map(quoted, kept))}]" if kept else ""
        yield f"unpivot = {{ name = {quoted(layout.id)}, value = {quoted(value)}{index} }}"


def _attributes(draft: ProjectDraft) -> Iterator[str]:
    layout, match = draft.layout, draft.layout.match
    yield f"\n[streams.{STREAM}.attributes]"
    way = draft.short(match.key) if match.key is not None else "their IRIs"
    yield f"# {len(match.named):,} of {len(layout.points):,} ids name an individual of the model, by {way}."
    if match.of_class is not None:
        yield f"# Others are called so, too: {draft.short(match.of_class)} is guessed."
    yield from (f"# {line[0].upper()}{line[1:]}." for line in unnamed(draft))
    one = len(layout.values) == 1
    yield f'{_key(layout.id)} = {{ property = "{draft.linked}", {draft.individual} }}'
    for name, kind in layout.values.items():
        said = 'property = "sosa:hasSimpleResult", ' if one else ""
        yield f'{_key(name)} = {{ {said}datatype = "xsd:{kind}" }}'
    for name, kind in draft.others.items():
        if _is_attribute(name):
            yield f'{_key(name)} = {{ datatype = "xsd:{kind}" }}'


def several_fitting(draft: ProjectDraft) -> dict[str, tuple[str, ...]]:
    """The ids that name no individual → the individuals that each fits; none: it fits nobody."""
    match = draft.layout.match
    keys = None if match.key is None else draft.model.knowledge.keys(match.key)
    several = {} if keys is None else keys.folded.ambiguous if match.ignore_case else keys.ambiguous
    return {name: several.get(name.casefold() if match.ignore_case else name, ()) for name in match.unknown}


def unnamed(draft: ProjectDraft) -> Iterator[str]:
    """What is said of ids that name no individual: those that fit several, with an example, and those that fit none."""
    fits = several_fitting(draft)
    if nobody := [name for name, iris in fits.items() if not iris]:
        yield f"nobody is named by {listed(nobody)}"
    if shared := [name for name, iris in fits.items() if iris]:
        two = " and ".join(_with_classes(iri, draft) for iri in fits[shared[0]][:2])
        yield f"several individuals are named by {listed(shared)}: the first fits {two}"
        yield 'tell them apart with of_class = "…": `kaicep check . --events FILE` says with which class'


def _with_classes(iri: str, draft: ProjectDraft) -> str:
    classes = sorted(draft.short(name) for name in draft.model.types.get(iri, ()))
    return f"{draft.short(iri)} ({' and '.join(classes) or 'of no class'})"


def _is_attribute(name: str) -> bool:
    return name[:1] not in {"", "_", "?"}


def _key(name: str) -> str:
    return name if name.replace("_", "").replace("-", "").isalnum() and name.isascii() else quoted(name)


def listed(texts: Sequence[str]) -> str:
    """The first few texts, and how many more there are."""
    more = f" and {len(texts) - _SHOWN:,} more" if len(texts) > _SHOWN else ""
    return ", ".join(repr(text) for text in texts[:_SHOWN]) + more


def relative(path: Path, folder: Path) -> str:
    """A path as the project file in a folder writes it."""
    return Path(os.path.relpath(path.absolute(), folder.absolute())).as_posix()
