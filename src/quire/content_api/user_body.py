"""The attributes of end users that a request body may set."""

from collections.abc import Mapping

from quire.access.ability import Ability
from quire.auth.end_users import GUARDED
from quire.document_service.input_keys import check_input
from quire.schema.model import AUTOMATIC_NAMES, USER_UID, Schema


def settable_attributes(
    schema: Schema, body: Mapping[str, object], ability: Ability
) -> dict[str, object]:
    """Return the settable attributes of a body; others are ignored.

    Raises InvalidKeyError for relations outside of the ability.
    """
    user = schema.content_types[USER_UID]
    data = {
        name: value
        for name, value in body.items()
        if name in user.attributes and name not in GUARDED and name not in AUTOMATIC_NAMES
    }
    related = {name: value for name, value in data.items() if name != "role"}
    check_input(schema, user, related, ability)
    return data
