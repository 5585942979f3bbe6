"""Actions of a project that read entries themselves: analysed, and described as a query."""

from quire.customisations.reads.actions import ReadContext, understand_read
from quire.customisations.reads.model import DocumentRead

__all__ = [
    "DocumentRead",
    "ReadContext",
    "understand_read",
]
