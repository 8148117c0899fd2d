"""The kinds of actions by the key that names them in the project file."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import closing, suppress
from functools import partial
from typing import Any

from ...config import Settings
from ...errors import ConfigError
from .action import Action, ActionSpec, EngineHost
from .command import CommandAction
from .delivery import Receiver
from .engine_actions import KnowledgeAction, SubmitAction, WithdrawAction
from .kafka import KafkaAction
from .mail import MailAction
from .mqtt import MqttAction
from .python_function import PythonAction
from .webhook import WebhookAction

__all__ = ["ACTIONS", "action_specs", "check_action", "make_action", "needs_of", "receivers_of"]

ACTIONS: Mapping[str, Callable[[ActionSpec, Any], Action]] = {
    "webhook": WebhookAction,
    "mqtt": MqttAction,
    "kafka": KafkaAction,
    "mail": MailAction,
    "command": CommandAction,
    "python": PythonAction,
    "knowledge": KnowledgeAction,
    "submit": SubmitAction,
    "withdraw": WithdrawAction,
}
"""Kind → what makes an action of it."""


def action_specs(settings: Settings, engine: EngineHost | None = None) -> dict[str, ActionSpec]:
    """What the actions of a project are made of, by name.

    Args:
        settings: of the project.
        engine: that they may ask.
    """
    root, file = settings.root, settings.file
    return {name: ActionSpec(name, own, root, file, engine) for name, own in settings.actions.items()}


def make_action(spec: ActionSpec) -> Action:
    """An action.

    Raises:
        ConfigError: a secret is not there, or a template is none.
    """
    kind = spec.settings.kind
    return ACTIONS[kind](spec, getattr(spec.settings, kind))


def check_action(spec: ActionSpec) -> frozenset[str]:
    """See whether an action could be begun; the values that its templates need.

    Raises:
        ConfigError: it could not.
    """
    action = make_action(spec)
    try:
        action.check()
        return action.needs
    finally:
        action.close()


def needs_of(settings: Settings, names: Collection[str]) -> dict[str, frozenset[str]]:
    """The values that templates of some actions need; of one that cannot be made here nothing is known."""
    found = {}
    for name, spec in action_specs(settings).items():
        if name in names:
            with suppress(ConfigError), closing(make_action(spec)) as action:
                found[name] = action.needs
    return found


def receivers_of(settings: Settings, engine: EngineHost | None = None) -> dict[str, Receiver]:
    """Who takes the calls of a project's actions, by name; see `action_specs`."""
    specs = action_specs(settings, engine)
    return {name: Receiver(spec.settings, partial(make_action, spec)) for name, spec in specs.items()}
