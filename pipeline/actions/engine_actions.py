"""Actions that the engine itself does: what rules state in the module `rules`, queries that they submit and withdraw.

From the next batch border on, and refused as if a person had asked for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ...errors import ConfigError, KaicepError, OntologyError, PipelineError, Place
from ...ontology.modules import RuleStatement, check_update
from ...settings import SubmitSettings
from .action import ActionSpec, DeliveryError, EngineHost, made_of
from .call import ActionCall
from .term_template import TermTemplate, filled_name, names_of

__all__ = ["KnowledgeAction", "SubmitAction", "WithdrawAction"]

_TOGETHER = 1000


class KnowledgeAction:
    """Updates the module `rules`; see `Action`.

    Args:
        spec: what it is made of.
        update: a template of a SPARQL update.
    """

    def __init__(self, spec: ActionSpec, update: str) -> None:
        self.batch = _TOGETHER
        self._spec, self._template = spec, TermTemplate(update)
        self.needs = self._template.names
        try:
            check_update(self._template.sample())
        except OntologyError as error:
            raise ConfigError(
                f"{spec.place}.kaicep:knowledge: {error.message}",
                place=Place(spec.file),
                hint="write a SPARQL update with $name for the argument that CALL names so",
            ) from error

    def check(self) -> None:
        """See `Action.check`."""

    def send(self, calls: Sequence[ActionCall]) -> None:
        """See `Action.send`."""
        statements, fault = made_of(calls, self._statement)
        if statements:
            with _asking():
                _engine_of(self._spec).state(statements)
        if fault is not None:
            raise fault

    def close(self) -> None:
        """See `Action.close`."""

    def _statement(self, call: ActionCall) -> RuleStatement:
        return RuleStatement(call.rule, call.key, self._template.filled(call))


class SubmitAction:
    """Submits queries; see `Action`.

    Args:
        spec: what it is made of.
        query: its name, and a template of its text.
    """

    def __init__(self, spec: ActionSpec, query: SubmitSettings) -> None:
        self.batch = 1
        self._spec, self._name, self._template = spec, query.name, TermTemplate(query.query)
        self.needs = self._template.names | names_of(query.name)

    def check(self) -> None:
        """See `Action.check`: a query is checked when its values are there."""

    def send(self, calls: Sequence[ActionCall]) -> None:
        """See `Action.send`."""
        for call in calls:
            name, text = filled_name(self._name, call), self._template.filled(call)
            with _asking():
                _engine_of(self._spec).submit(name, text)

    def close(self) -> None:
        """See `Action.close`."""


class WithdrawAction:
    """Withdraws queries that were submitted; see `Action`.

    Args:
        spec: what it is made of.
        name: of the query, a template.
    """

    def __init__(self, spec: ActionSpec, name: str) -> None:
        self.batch = 1
        self.needs = names_of(name)
        self._spec, self._name = spec, name

    def check(self) -> None:
        """See `Action.check`."""

    def send(self, calls: Sequence[ActionCall]) -> None:
        """See `Action.send`."""
        for call in calls:
            with _asking():
                _engine_of(self._spec).withdraw(filled_name(self._name, call))

    def close(self) -> None:
        """See `Action.close`."""


@contextmanager
def _asking() -> Iterator[None]:
    """What the engine refuses will be refused again; that it has not begun, or ends, passes."""
    try:
        yield
    except PipelineError as error:
        raise DeliveryError(str(error)) from error
    except KaicepError as error:
        raise DeliveryError(str(error), refused=True, hopeless=True) from error


def _engine_of(spec: ActionSpec) -> EngineHost:
    if spec.engine is None:
        raise DeliveryError("no engine runs")
    return spec.engine
