"""Validates what is to be written.

`check_entry` takes a payload in the wire's form, `check_stored` an entry that is stored already and
is to be published. Both return what is to be written together with every problem; nothing is asked
of the database, so uniqueness (`UniqueCheck`) and the existence of relations are left to the
caller.
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
