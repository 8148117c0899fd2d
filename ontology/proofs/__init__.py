"""A closed knowledge base and a triple of it in, a checkable proof of the triple out."""

from .proof import Leaf, Origin, Proof, Step, steps_of
from .search import Prover
from .wording import Wording

__all__ = ["Leaf", "Origin", "Proof", "Prover", "Step", "Wording", "steps_of"]
