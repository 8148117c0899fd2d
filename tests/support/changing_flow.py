"""A data flow to which queries come, from which they go, and that goes on from snapshots of itself."""

from __future__ import annotations

from kaicep import Project
from kaicep.pipeline.flow.queries.registration import Registration

__all__ = ["CARS", "ChangingFlow"]

CARS = {
    "event_type": "<urn:P>",
    "time": {"attribute": "t"},
    "identity": ["id"],
    "lateness": "3s",
    "attributes": {
        "id": {"datatype": "xsd:string"},
        "speed": {"datatype": "xsd:double"},
        **{name: {"datatype": "xsd:integer"} for name in ("seg", "v", "car")},
    },
}
"""The settings of a stream of cars in segments of a road, whose readings are three seconds late at the most."""


class ChangingFlow:
    """A data flow and what is registered in it.

    Args:
        project: whose it is.
        isolated: whether a query that fails stops nothing but itself.
        first: a document of what changes contexts; nothing else asks before it.

    Attributes:
        flow: another one behind each snapshot.
        registrations: the queries in it, by label, in the order in which they came.
    """

    def __init__(self, project: Project, *, isolated: bool = False, first: str = "") -> None:
        self._project, self._isolated = project, isolated
        self.flow = project.dataflow(isolated=isolated)
        self.registrations: dict[str, Registration] = {}
        for place, query in enumerate(project.compile(first) if first else ()):
            self._register(Registration(query, f"change-{place}"))

    def ask(self, label: str, text: str) -> None:
        """Let a query come."""
        outputs = [of.query for of in self.registrations.values()]
        (query,) = self._project.compile(text, outputs=outputs)
        self._register(Registration(query, label, self.flow.now(query)))

    def drop(self, label: str) -> None:
        """Let it go."""
        self.flow.remove(label)
        del self.registrations[label]

    def resume(self) -> None:
        """Go on from a snapshot."""
        state = self.flow.snapshot()
        self.flow = self._project.dataflow(isolated=self._isolated)
        assert not self.flow.restore(state, list(self.registrations.values()))

    def _register(self, registration: Registration) -> None:
        self.registrations[registration.label] = registration
        self.flow.register(registration)
