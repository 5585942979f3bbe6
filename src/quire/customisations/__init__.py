"""A project's own JavaScript, which Quire does not run: its meaning and its effects."""

from quire.customisations.findings import Customisations, Effect, Finding, FindingKind
from quire.customisations.hook_guards import HookGuard, hook_policies
from quire.customisations.scan import find_customisations
from quire.customisations.served_routes import ServedRoute, UnservedRoute, usual_routes

__all__ = [
    "Customisations",
    "Effect",
    "Finding",
    "FindingKind",
    "HookGuard",
    "ServedRoute",
    "UnservedRoute",
    "find_customisations",
    "hook_policies",
    "usual_routes",
]
