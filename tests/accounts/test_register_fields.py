"""Registration with additional attributes, as in the reference."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.accounts.site import ADVANCED, PASSWORD, JsonObject, Site, message
from tests.databases.kind import Kind
from tests.hazards.newsroom import AUTHOR, write_json, write_project

USER: JsonObject = {
    "kind": "collectionType",
    "collectionName": "up_users",
    "info": {"singularName": "user", "pluralName": "users", "displayName": "User"},
    "attributes": {
        "username": {"type": "string", "minLength": 3, "unique": True, "required": True},
        "email": {"type": "email", "minLength": 6, "required": True},
        "provider": {"type": "string"},
        "password": {"type": "password", "minLength": 6, "private": True},
        "resetPasswordToken": {"type": "string", "private": True},
        "confirmationToken": {"type": "string", "private": True},
        "confirmed": {"type": "boolean", "default": False},
        "blocked": {"type": "boolean", "default": False},
        "role": {
            "type": "relation",
            "relation": "manyToOne",
            "target": "plugin::users-permissions.role",
            "inversedBy": "users",
        },
        "nickname": {"type": "string", "minLength": 2, "maxLength": 8},
        "rank": {"type": "integer", "min": 1},
        "badge": {"type": "string", "unique": True},
        "favourite": {"type": "relation", "relation": "manyToOne", "target": AUTHOR},
        "pin": {"type": "string", "private": True},
    },
}
ALLOWED = (
    *("nickname", "rank", "badge", "favourite", "pin", "blocked", "role", "confirmed", "provider"),
    *("nope", "id", "documentId", "resetPasswordToken", "password"),
)
EXTENSION = "src/extensions/users-permissions/content-types/user/schema.json"
NOT_SET: JsonObject = {"nickname": None, "rank": None, "badge": None, "blocked": False}
NOT_LONG = "nickname must be at least 2 characters"
NO_NUMBER = (
    'rank must be a `number` type, but the final value was: `NaN` (cast from the value `"x"`).'
)
NOT_GREAT = "rank must be greater than or equal to 1"


@pytest.fixture(scope="module")
def written(kind: Kind, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A newsroom whose users have more attributes, and may set some when they register."""
    folder = tmp_path_factory.mktemp("registering")
    write_json(folder / EXTENSION, USER)
    plugins = {"users-permissions": {"config": {"register": {"allowedFields": list(ALLOWED)}}}}
    write_json(folder / "config" / "plugins.json", plugins)
    project = write_project(folder, kind).project
    yield project
    kind.release(project)


def ada(**more: object) -> JsonObject:
    return {"username": "ada", "email": "ada@example.org", "password": PASSWORD, **more}


async def test_what_a_project_allows_is_stored_and_shown(site: Site) -> None:
    more = {"nickname": "Ada", "rank": "7", "badge": "B1", "pin": "1234", "favourite": 1}
    response = await site.post("auth/local/register", ada(**more))
    assert response.status == 200, response.content
    user = json.loads(response.content)["user"]
    shown = {name: user[name] for name in NOT_SET}
    assert shown == {"nickname": "Ada", "rank": 7, "badge": "B1", "blocked": False}
    assert not {"pin", "favourite", "password"} & user.keys()
    where = "WHERE username = 'ada'"
    assert site.sql(f"SELECT nickname, rank, pin FROM up_users {where}") == [("Ada", 7, "1234")]
    assert len(site.sql("SELECT * FROM up_users_favourite_lnk")) == 1


@pytest.mark.parametrize(
    ("more", "messages"),
    [
        ({"nickname": "A"}, [NOT_LONG]),
        ({"nickname": "much too long"}, ["nickname must be at most 8 characters"]),
        (
            {"nickname": 5},
            ["nickname must be a `string` type, but the final value was: `5`."],
        ),
        (
            {"rank": "x"},
            [NO_NUMBER],
        ),
        ({"rank": 1.5}, ["rank must be an integer"]),
        ({"nickname": "A", "rank": 0}, [NOT_LONG, NOT_GREAT]),
        (
            {"username": "ab", "nickname": "A"},
            ["username must be at least 3 characters", NOT_LONG],
        ),
        (
            {"password": "x", "nickname": "A"},
            ["password must be at least 6 characters", NOT_LONG],
        ),
        ({"email": "bad", "nickname": "A"}, ["email must be a valid email"]),
        (
            {"favourite": 99_999},
            [f"1 relation(s) of type {AUTHOR} associated with this entity do not exist"],
        ),
    ],
)
async def test_problems_are_reported_as_for_any_entry(
    shared_site: Site, more: JsonObject, messages: list[str]
) -> None:
    response = await shared_site.post("auth/local/register", ada(**more))
    payload = json.loads(response.content)["error"]
    assert (response.status, payload["name"]) == (400, "ValidationError")
    assert {one["message"] for one in payload["details"]["errors"]} == set(messages)
    several = f"{len(messages)} errors occurred"
    assert payload["message"] == (messages[0] if len(messages) == 1 else several)
    assert shared_site.sql("SELECT id FROM up_users WHERE email = 'ada@example.org'") == []


async def test_a_value_that_must_be_unique_and_a_document_that_is_not_there_are_reported(
    site: Site,
) -> None:
    first = {"username": "eve", "email": "eve@example.org", "password": PASSWORD, "badge": "B1"}
    assert (await site.post("auth/local/register", first)).status == 200
    for more, said in (
        ({"badge": "B1"}, "This attribute must be unique"),
        ({"favourite": "zzz"}, 'Document with id "zzz", locale "null" not found'),
        ({"other": 1, "nickname": "x"}, "Invalid parameters: other"),
    ):
        response = await site.post("auth/local/register", ada(**more))
        assert (response.status, message(response)) == (400, said)


@pytest.mark.parametrize(
    "more",
    [
        {"role": 2},
        {"confirmed": False},
        {"provider": "x"},
        {"nope": 1},
        {"id": 77},
        {"documentId": "abcdefghijklmnopqrstuvwx"},
        {"resetPasswordToken": "abc"},
        {"nickname": None},
    ],
)
async def test_what_the_server_decides_is_not_decided_by_those_who_register(
    site: Site, more: JsonObject
) -> None:
    response = await site.post("auth/local/register", ada(**more))
    assert response.status == 200, response.content
    user = json.loads(response.content)["user"]
    assert {name: user[name] for name in NOT_SET} == NOT_SET
    assert (user["provider"], user["confirmed"]) == ("local", True)
    assert user["id"] != 77
    found = site.sql(
        "SELECT u.document_id, u.reset_password_token, l.role_id FROM up_users u "
        "JOIN up_users_role_lnk l ON l.user_id = u.id WHERE u.username = 'ada'"
    )
    assert found == [(user["documentId"], None, site.role("authenticated"))]
    assert user["documentId"] != more.get("documentId")


async def test_a_project_may_let_new_users_wait(site: Site) -> None:
    """A user who is blocked from the start cannot sign in until unblocked."""
    response = await site.post("auth/local/register", ada(blocked=True))
    token = json.loads(response.content)["jwt"]
    assert (await site.ask("GET", "users/me", token=token)).status == 401
    site.set(ADVANCED, email_confirmation=True)
    assert (await site.post("auth/local", ada(identifier="ada"))).status == 400
