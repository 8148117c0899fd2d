"""A closed knowledge base and a triple of it in, a checkable proof of the triple out."""

from __future__ import annotations

from .proof import AssertionOrigin, Inference, Leaf, Proof, inferences_of
from .proof_search import Prover
from .turtle_writer import TurtleWriter

__all__ = ["AssertionOrigin", "Inference", "Leaf", "Proof", "Prover", "TurtleWriter", "inferences_of"]
