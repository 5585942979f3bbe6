"""Types of bodies and responses that several routes of accounts have."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from msgspec import UNSET, Meta, Struct, UnsetType

from quire.access.ability import Ability
from quire.access.declared_routes import ProjectSchema
from quire.auth.end_users import SERVER_SET_ATTRIBUTES
from quire.auth.passwords import MAX_BYTES
from quire.content_api.body_decoding import RequestBody
from quire.content_api.routes import RouteGroup
from quire.content_api.validators import UNLIMITED, Email, FullMessage, required
from quire.document_service.input_keys import check_input
from quire.schema.model import AUTOMATIC_NAMES, USER_UID, Schema

PASSWORD_TOO_LONG = FullMessage(f"Password must be less than {MAX_BYTES + 1} bytes")


class AccountBody(RequestBody, forbid_unknown_fields=False):
    """A body with texts of any length, of which nothing is shown in errors but single fields."""

    keys_last: ClassVar[bool] = True
    secret: ClassVar[bool] = True
    longest_text: ClassVar[int] = UNLIMITED


def few_bytes(value: object) -> str | None:
    """Refuse a password that is longer than what is looked at when it is checked."""
    too_long = isinstance(value, str) and len(value.encode()) > MAX_BYTES
    return PASSWORD_TOO_LONG if too_long else None


USERNAME = Meta(extra_json_schema={"minLength": 3})
PASSWORD = Meta(extra_json_schema={"format": "password", "minLength": 6})

FilledText = Annotated[str, required, Meta(extra_json_schema={"minLength": 1})]
RequiredEmail = Annotated[str, required, Email()]
RequiredPassword = Annotated[str, required, few_bytes, PASSWORD]

AnyText = Annotated[object | UnsetType, Meta(extra_json_schema={"type": "string"})]
"""A text; what is of another type counts as absent."""

DeviceId = Annotated[AnyText, Meta(extra_json_schema={"maxLength": 255})]

EndUserDocument = Annotated[Any, ProjectSchema(lambda models: models.document(USER_UID))]
"""An end user, as the caller may see one."""

ACCOUNTS = RouteGroup("Accounts", "", "plugin::users-permissions.auth.", USER_UID)
"""Makes the routes of accounts."""
TOO_MANY_REQUESTS = (429,)
"""The status of a request that is one too many."""


class TokenPair(Struct, rename="camel", kw_only=True):
    """A token for requests, and one to get the next with."""

    jwt: str
    refresh_token: Annotated[
        str | UnsetType, Meta(description="Absent without sessions, and where a cookie holds it.")
    ] = UNSET


class SignedInUser(TokenPair, kw_only=True):
    """A token, and whose it is."""

    user: EndUserDocument


def settable_attributes(
    schema: Schema, body: Mapping[str, object], ability: Ability
) -> dict[str, object]:
    """Return the values of a body for attributes that may be set; others are ignored.

    Raises InvalidKeyError for relations to types that the ability does not permit.
    """
    user = schema.content_types[USER_UID]
    data = {
        name: value
        for name, value in body.items()
        if name in user.attributes
        and name not in SERVER_SET_ATTRIBUTES
        and name not in AUTOMATIC_NAMES
    }
    values = {name: value for name, value in data.items() if name != "role"}
    check_input(schema, user, values, ability)
    return data
