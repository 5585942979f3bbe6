"""The document service: the only way to write content.

The package can be called: ``from quire import documents`` is this module at run time, and type
checkers take it for `quire.documents.api.documents`, which it calls.
"""

import sys
from types import ModuleType


class _CallablePackage(ModuleType):
    """A package that is called as the function of its name."""

    def __call__(self, kind: object) -> object:
        """Return the documents of a content type; see `quire.documents.api.documents`."""
        from quire.documents.api import documents  # noqa: PLC0415 - it imports this package

        return documents(kind)  # type: ignore[call-overload]  # checked where it is called


sys.modules[__name__].__class__ = _CallablePackage
