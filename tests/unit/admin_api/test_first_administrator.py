"""The first administrator is created once, and only with the link."""

import asyncio
from pathlib import Path

import pytest

from tests.unit.admin_api.office import BOSS, PASSWORD, Office, open_office


async def test_the_link_makes_the_first_administrator_and_nobody_after(tmp_path: Path) -> None:
    async with open_office(tmp_path, boss=False) as office:
        before = await office.ask("GET", "/admin/init")
        token = office.app.first_administrator
        made = await office.ask("POST", f"/admin/register-admin?registrationToken={token}", BOSS)
        after = await office.ask("GET", "/admin/init")
        again = await office.ask(
            "POST", "/admin/register-admin", {**BOSS, "registrationToken": token}
        )

    assert before.data["hasAdmin"] is False
    assert made.status == 200
    assert made.data["user"]["roles"][0]["code"] == "strapi-super-admin"
    assert after.data["hasAdmin"] is True
    assert (again.status, again.error) == (400, "You cannot register a new super admin")


@pytest.mark.parametrize("token", [None, "", "0" * 64, 5])
async def test_nobody_becomes_the_first_administrator_without_the_link(
    tmp_path: Path, token: object
) -> None:
    async with open_office(tmp_path, boss=False) as office:
        body = BOSS if token is None else {**BOSS, "registrationToken": token}
        refused = await office.ask("POST", "/admin/register-admin", body)
        after = await office.ask("GET", "/admin/init")

    assert refused.status in {400, 403}
    assert after.data["hasAdmin"] is False


async def test_whoever_comes_first_becomes_administrator_where_the_project_says_so(
    tmp_path: Path,
) -> None:
    async with open_office(tmp_path, settings={"admin.registration": "open"}, boss=False) as office:
        assert office.app.first_administrator is None
        made = await office.ask("POST", "/admin/register-admin", BOSS)

    assert made.status == 200


async def test_of_many_who_come_at_once_one_becomes_administrator(tmp_path: Path) -> None:
    async with open_office(tmp_path, boss=False) as office:
        body = {**BOSS, "registrationToken": office.app.first_administrator}
        replies = await asyncio.gather(
            *(
                office.ask(
                    "POST", "/admin/register-admin", {**body, "email": f"b{number}@example.com"}
                )
                for number in range(8)
            )
        )

    assert sorted(reply.status for reply in replies) == [200, *([400] * 7)]


async def test_the_link_is_the_same_after_a_new_start_and_gone_when_it_was_used(
    office: Office,
) -> None:
    await office.app.stop()
    await office.app.start()

    assert office.app.first_administrator is None
    assert (await office.sign_in(BOSS["email"], PASSWORD)).status == 200
