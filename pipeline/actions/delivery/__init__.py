"""Calls in; each handed on in order, at least once, or kept as a dead letter: an outbox, and threads that empty it."""

from __future__ import annotations

from .call_delivery import ActionCounts, CallDelivery, Receiver, outbox_folder
from .failed_calls import FailedCall
from .outbox import Lane, Outbox

__all__ = ["ActionCounts", "CallDelivery", "FailedCall", "Lane", "Outbox", "Receiver", "outbox_folder"]
