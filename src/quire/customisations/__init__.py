"""What a project's own JavaScript does, which Quire does not run, and what follows from that."""

from quire.customisations.findings import Customisations, Effect, Finding, FindingKind
from quire.customisations.scan import find_customisations
from quire.customisations.served import ServedRoute, UnservedRoute, usual_routes

__all__ = [
    "Customisations",
    "Effect",
    "Finding",
    "FindingKind",
    "ServedRoute",
    "UnservedRoute",
    "find_customisations",
    "usual_routes",
]
