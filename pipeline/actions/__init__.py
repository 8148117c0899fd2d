"""Calls of rules in; handed on to webhooks, brokers, mail servers, programs and functions out."""

from __future__ import annotations

from .action import Action, ActionSpec, DeliveryError, EngineHost
from .action_table import ACTIONS, action_specs, check_action, make_action, needs_of, receivers_of
from .call import ActionCall
from .call_arguments import check_arguments
from .delivery import ActionCounts, CallDelivery, FailedCall, Lane, Outbox, Receiver, outbox_folder

__all__ = [
    "ACTIONS",
    "Action",
    "ActionCall",
    "ActionCounts",
    "ActionSpec",
    "CallDelivery",
    "DeliveryError",
    "EngineHost",
    "FailedCall",
    "Lane",
    "Outbox",
    "Receiver",
    "action_specs",
    "check_action",
    "check_arguments",
    "make_action",
    "needs_of",
    "outbox_folder",
    "receivers_of",
]
