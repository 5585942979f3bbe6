"""The built-in content types."""

from quire.schema.attributes.base import RelationAttribute
from quire.schema.builtin import builtin_schemas
from quire.schema.load import build_schema
from quire.schema.model import ADMIN_USER_UID, FILE_UID, LOCALE_UID, ROLE_UID, USER_UID


def test_every_built_in_type_is_sound_without_a_project() -> None:
    schema = build_schema([])
    assert set(schema.content_types) == {uid for uid, _, _ in builtin_schemas()}
    assert schema.components == {}
    assert schema.api_types == ()


def test_the_types_that_the_server_itself_looks_for_are_among_them() -> None:
    known = build_schema([]).content_types
    assert {FILE_UID, USER_UID, ROLE_UID, LOCALE_UID, ADMIN_USER_UID} <= set(known)


def test_a_built_in_type_knows_its_plugin_and_the_administrators_have_none() -> None:
    known = build_schema([]).content_types
    assert known[FILE_UID].plugin == "upload"
    assert known[USER_UID].plugin == "users-permissions"
    assert known[ADMIN_USER_UID].plugin is None
    assert not any(content_type.is_api for content_type in known.values())


def test_secrets_of_users_are_passwords_or_private() -> None:
    known = build_schema([]).content_types
    for uid, names in (
        (USER_UID, ("password", "resetPasswordToken", "confirmationToken")),
        (ADMIN_USER_UID, ("password", "resetPasswordToken", "registrationToken")),
    ):
        for name in names:
            attribute = known[uid].attributes[name]
            assert attribute.private or attribute.type.secret, f"{uid}.{name}"


def test_no_public_relation_leads_from_users_and_files_to_api_tokens() -> None:
    known = build_schema([]).content_types
    reached: set[str] = set()
    waiting = [FILE_UID, USER_UID, ROLE_UID, LOCALE_UID, ADMIN_USER_UID]
    while waiting:
        uid = waiting.pop()
        if uid not in reached:
            reached.add(uid)
            waiting += [
                attribute.target
                for attribute in known[uid].attributes.values()
                if isinstance(attribute, RelationAttribute)
                and attribute.target is not None
                and not attribute.private
            ]
    assert not {uid for uid in reached if "token" in uid}
