"""The alarms of a project; which contexts are alarms is asked anew when its queries are others."""

from __future__ import annotations

import threading
from collections.abc import Mapping

from ...config import Settings
from ..problem import ProblemError
from ..queries import ProjectProcesses, QueryCatalog
from ..rows import MatchReader
from .alarm_form import AlarmForm, alarm_forms
from .alarm_history import Alarm, AlarmHistory

__all__ = ["AlarmCatalog"]

_Texts = tuple[tuple[str, str | None], ...]
_Histories = Mapping[str, tuple[AlarmForm, AlarmHistory]]


class AlarmCatalog:
    """The alarms that registered queries tell; any thread may ask.

    Args:
        settings: of the project.
        processes: that load it.
        catalog: of its queries.
    """

    def __init__(self, settings: Settings, processes: ProjectProcesses, catalog: QueryCatalog) -> None:
        self._processes, self._catalog, self._reader = processes, catalog, MatchReader(settings)
        self._asking = threading.Lock()
        self._known: tuple[_Texts, _Histories] | None = None

    def alarms(self) -> list[tuple[AlarmForm, Alarm]]:
        """All that are remembered: those that nobody has seen first, then those that are not over, the newest first.

        Raises:
            ProblemError: a query of the project file is wrong, or nobody answers in time.
        """
        found = [(form, alarm) for form, history in self._histories().values() for alarm in history.alarms()]
        found.sort(key=lambda one: one[1].raised or one[1].acknowledged or "", reverse=True)
        return sorted(found, key=lambda one: ("raised", "acknowledged", "cleared").index(one[1].state))

    def alarm(self, id_: str) -> tuple[AlarmForm, Alarm]:
        """One of them.

        Raises:
            ProblemError: 404, there is none; or as `alarms`.
        """
        for form, alarm in self.alarms():
            if alarm.id == id_:
                return form, alarm
        raise ProblemError(404, f"there is no alarm '{id_}'", "GET /alarms lists them")

    def _histories(self) -> _Histories:
        texts = tuple((one.label, one.text) for one in self._catalog.queries())
        with self._asking:
            if self._known is None or self._known[0] != texts:
                forms = self._processes.ask(alarm_forms)
                self._known = texts, {one.set: (one, AlarmHistory(one, self._reader)) for one in forms}
            return self._known[1]
