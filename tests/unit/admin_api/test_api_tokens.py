"""API tokens are created for programs, and shown once."""

from pathlib import Path

import pytest

from tests.unit.admin_api.office import Office, open_office
from tests.unit.admin_api.test_admin_users import clerk

TOKENS = "/admin/api-tokens"


async def test_a_token_works_until_it_is_renewed_or_deleted(office: Office) -> None:
    body = {"name": "Site", "type": "read-only"}
    made = (await office.ask("POST", TOKENS, body, token=office.boss)).data
    path = f"{TOKENS}/{made['id']}"

    async def works(key: str) -> bool:
        return (await office.ask("GET", "/api/papers", token=key)).status == 200

    assert await works(made["accessKey"])
    renewed = (await office.ask("POST", f"{path}/regenerate", token=office.boss)).data
    assert not await works(made["accessKey"])
    assert await works(renewed["accessKey"])
    await office.ask("DELETE", path, token=office.boss)
    assert not await works(renewed["accessKey"])


async def test_without_a_key_to_keep_it_under_a_token_is_shown_once(office: Office) -> None:
    made = (await office.ask("POST", TOKENS, {"name": "Site"}, token=office.boss)).data
    shown = await office.ask("GET", f"{TOKENS}/{made['id']}", token=office.boss)

    assert "accessKey" in made
    assert "accessKey" not in shown.data


async def test_with_a_key_it_is_shown_again_but_not_in_lists(tmp_path: Path) -> None:
    key = {"secrets.encryption_key": "k" * 32}
    async with open_office(tmp_path, settings=key) as office:
        made = (await office.ask("POST", TOKENS, {"name": "Site"}, token=office.boss)).data
        shown = await office.ask("GET", f"{TOKENS}/{made['id']}", token=office.boss)
        listed = await office.ask("GET", TOKENS, token=office.boss)

    assert shown.data["accessKey"] == made["accessKey"]
    assert all("accessKey" not in token for token in listed.data)
    assert all("encryptedKey" not in token for token in [shown.data, *listed.data])


@pytest.mark.parametrize(
    ("actions", "is_shown"),
    [
        (["read"], False),
        (["read", "create", "delete"], False),
        (["read", "regenerate"], True),
        (["read", "update"], True),
    ],
)
async def test_a_key_is_shown_to_those_alone_who_may_change_the_token(
    tmp_path: Path, actions: list[str], *, is_shown: bool
) -> None:
    key = {"secrets.encryption_key": "k" * 32}
    async with open_office(tmp_path, settings=key) as office:
        body = {"name": "Site", "type": "full-access"}
        made = (await office.ask("POST", TOKENS, body, token=office.boss)).data
        _, token = await clerk(office, *(f"admin::api-tokens.{verb}" for verb in actions))
        shown = await office.ask("GET", f"{TOKENS}/{made['id']}", token=token)
        listed = await office.ask("GET", TOKENS, token=token)

    assert shown.status == 200
    assert shown.data.get("accessKey") == (made["accessKey"] if is_shown else None)
    assert all("accessKey" not in one for one in listed.data)


async def test_a_custom_token_grants_what_is_listed_and_nothing_else(office: Office) -> None:
    body = {"name": "Site", "type": "custom", "permissions": ["api::writer.writer.find"]}
    made = (await office.ask("POST", TOKENS, body, token=office.boss)).data
    key = made["accessKey"]

    assert (await office.ask("GET", "/api/writers", token=key)).status == 200
    assert (await office.ask("GET", "/api/papers", token=key)).status == 403
    other = {"permissions": ["api::paper.paper.find"]}
    await office.ask("PUT", f"{TOKENS}/{made['id']}", other, token=office.boss)
    assert (await office.ask("GET", "/api/writers", token=key)).status == 403


async def test_a_change_of_the_name_leaves_the_actions_alone(office: Office) -> None:
    body = {"name": "Site", "type": "custom", "permissions": ["api::writer.writer.find"]}
    made = (await office.ask("POST", TOKENS, body, token=office.boss)).data
    path = f"{TOKENS}/{made['id']}"
    changed = await office.ask("PUT", path, {"name": "Sites"}, token=office.boss)

    assert changed.data["permissions"] == ["api::writer.writer.find"]


async def test_api_tokens_are_no_credentials_of_the_admin(office: Office) -> None:
    body = {"name": "Site", "type": "full-access"}
    made = (await office.ask("POST", TOKENS, body, token=office.boss)).data

    assert (await office.ask("GET", TOKENS, token=made["accessKey"])).status == 401
