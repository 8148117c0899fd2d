"""How the values of an attribute name individuals, as its annotation declares it, checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...config import AttributeSettings
from ...errors import AnnotationError
from .iri_template import IriTemplate

__all__ = ["Linkage", "linkage_of"]

Resolve = Callable[[str, str], str]
"""(name as written, key that says it) → IRI."""
Refuse = Callable[[str, str, str | None], AnnotationError]
"""(key, message, hint) → the error."""


@dataclass(frozen=True, slots=True)
class Linkage:
    """By what a value is linked to an individual; either `template` or `key` is there.

    Attributes:
        template: makes the individual's IRI.
        key: IRI of the property whose value identifies the individual.
        of_class: IRI of the class whose individuals are meant; `None`: any.
        ignore_case: whether a value that fits no individual as it is may fit one but for its case.

    Source: record linkage (Fellegi and Sunter 1969), with exact keys only.
    """

    template: IriTemplate | None = None
    key: str | None = None
    of_class: str | None = None
    ignore_case: bool = False

    @property
    def reversible(self) -> bool:
        """Whether the individual's IRI tells the value."""
        return self.template is not None and not self.ignore_case

    @property
    def needs_knowledge(self) -> bool:
        """Whether the knowledge decides which individual a value names."""
        return not self.reversible


def linkage_of(name: str, a: AttributeSettings, expand: Resolve, resolve: Resolve, refuse: Refuse) -> Linkage | None:
    """What attribute `name` declares of individuals; `None`: its values name none.

    Args:
        name: of the attribute.
        a: its settings.
        expand: writes a prefixed name out.
        resolve: likewise, and checks that it is an IRI.
        refuse: makes errors.

    Raises:
        ConfigError: an unknown prefix.
        AnnotationError: a declaration that contradicts itself.
    """
    where = f"attributes.{name}"
    if a.individual is not None and a.key is not None:
        raise refuse(where, "'individual' and 'key' are two ways to find one individual", "keep one of them")
    if a.individual is None and a.key is None:
        if (idle := "of_class" if a.of_class is not None else "ignore_case" if a.ignore_case else None) is not None:
            hint = 'add key = "rdfs:label" (or another property), or individual = "ex:{}"'
            raise refuse(where, f"'{idle}' is of values that stand for individuals", hint)
        return None
    if a.of_class is not None and a.individual is not None and not a.ignore_case:
        message = "'of_class' says whose keys are meant, and a template looks for nobody"
        raise refuse(where, message, "drop 'of_class', or use key instead of individual")
    return Linkage(
        template=None if a.individual is None else _template(where, a.individual, expand, refuse),
        key=None if a.key is None else resolve(a.key, where),
        of_class=None if a.of_class is None else resolve(a.of_class, where),
        ignore_case=a.ignore_case,
    )


def _template(where: str, written: str, expand: Resolve, refuse: Refuse) -> IriTemplate:
    if written in ("{}", "{+}"):
        return IriTemplate.parse(written)
    try:
        return IriTemplate.parse(expand(written, where))
    except ValueError as error:
        message = f"the template '{written}' makes no IRI"
        raise refuse(where, message, 'write a prefixed name or <iri>, such as "ee:{}"') from error
