"""Operators of queries that are alike in; the rows of each out, found in one call."""

from __future__ import annotations

from .alike_queries import AlikeForm, alike_form, key_of
from .joint_frames import Arrived
from .joint_operator import JointMember, JointOperator

__all__ = ["AlikeForm", "Arrived", "JointMember", "JointOperator", "alike_form", "key_of"]
