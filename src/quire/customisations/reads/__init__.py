"""Actions of a project that read entries themselves: analysed, and described as a query."""

from quire.customisations.reads.actions import understand_read
from quire.customisations.reads.expressions import ReadContext
from quire.customisations.reads.model import DocumentRead

__all__ = [
    "DocumentRead",
    "ReadContext",
    "understand_read",
]
