"""Validates entries before they are written.

`check_entry` takes a payload in the form of the request, `check_stored` a stored entry that is
published. Both return the values to write together with every problem; they do not use the
database, so callers check uniqueness (`UniqueCheck`) and the existence of relation targets.
"""

from quire.document_service.validate.entry import (
    CheckedEntry,
    UniqueCheck,
    ValidationRules,
    check_entry,
    check_stored,
)
from quire.document_service.validate.problems import UNIQUE_MESSAGE, Problem, validation_error
from quire.schema.attributes.validation import ABSENT

__all__ = [
    "ABSENT",
    "UNIQUE_MESSAGE",
    "CheckedEntry",
    "Problem",
    "UniqueCheck",
    "ValidationRules",
    "check_entry",
    "check_stored",
    "validation_error",
]
