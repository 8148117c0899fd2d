"""A closed knowledge base and a triple of it in, a checkable proof of the triple out."""

from __future__ import annotations

from .proof import Leaf, Origin, Proof, Step, steps_of
from .proof_search import Prover
from .proof_wording import Wording

__all__ = ["Leaf", "Origin", "Proof", "Prover", "Step", "Wording", "steps_of"]
