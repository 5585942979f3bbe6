"""What a project's own JavaScript does, which Quire does not run, and what follows from that."""

from quire.customisations.findings import Customisations, Effect, Finding, FindingKind
from quire.customisations.scan import find_customisations

__all__ = ["Customisations", "Effect", "Finding", "FindingKind", "find_customisations"]
