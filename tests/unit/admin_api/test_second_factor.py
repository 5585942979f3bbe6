"""A second factor cannot be skipped, guessed, used twice, or removed without itself."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

from quire.auth.admin.second_factor import code_at
from tests.unit.admin_api.office import BOSS, PASSWORD, Office, Reply, open_office
from tests.unit.admin_api.test_admin_users import clerk, invited
from tests.unit.admin_api.test_recovery import RESET, office_with_mail, token_sent

SECOND_FACTOR = "/admin/x/second-factor"
EMAIL = BOSS["email"]


def code(office: Office, secret: str) -> str:
    """The code of an app now, a step after the last one that was requested."""
    office.clock.pass_by(minutes=1)
    return code_at(secret, office.clock.now // 30_000)


async def with_factor(office: Office) -> tuple[str, list[str]]:
    """Give the boss a second factor; returns its secret and the recovery codes."""
    started = await office.ask("POST", SECOND_FACTOR, {"password": PASSWORD}, token=office.boss)
    secret = started.data["secret"]
    confirmed = await office.ask(
        "POST", f"{SECOND_FACTOR}/confirm", {"code": code(office, secret)}, token=office.boss
    )
    assert confirmed.status == 200, confirmed.json
    return secret, confirmed.data["recoveryCodes"]


async def test_signing_in_takes_a_code_once_it_was_confirmed(office: Office) -> None:
    await office.ask("POST", SECOND_FACTOR, {"password": PASSWORD}, token=office.boss)
    assert (await office.sign_in(EMAIL)).status == 200
    secret, _ = await with_factor(office)

    without = await office.sign_in(EMAIL)
    wrong = await office.sign_in(EMAIL, code="000000")
    right = await office.sign_in(EMAIL, code=code(office, secret))
    assert (without.status, without.json["error"]["name"]) == (401, "SecondFactorError")
    assert "set-cookie" not in without.headers
    assert (wrong.status, wrong.error) == (400, "Invalid code")
    assert right.status == 200


async def test_h082_who_does_not_know_the_password_learns_nothing_of_a_second_factor(
    office: Office,
) -> None:
    secret, _ = await with_factor(office)
    reply = await office.sign_in(EMAIL, "wrong", code=code(office, secret))

    assert (reply.status, reply.error) == (400, "Invalid credentials")


async def test_h082_a_code_is_good_for_once(office: Office) -> None:
    secret, recovery = await with_factor(office)
    now = code(office, secret)
    statuses = [
        (await office.sign_in(EMAIL, code=one)).status
        for one in (now, now, recovery[0], recovery[0].upper(), recovery[1].replace("-", " "))
    ]
    shown = await office.ask("GET", SECOND_FACTOR, token=office.boss)

    assert statuses == [200, 400, 200, 400, 200]
    assert shown.data == {"active": True, "recoveryCodes": 8}


async def test_h082_codes_of_any_other_kind_are_refused(office: Office) -> None:
    await with_factor(office)

    for odd in (None, "", 5, True, ["000000"], {"$ne": ""}, "0" * 9_999):
        assert (await office.sign_in(EMAIL, code=odd)).status in {400, 401}


async def test_h082_guessing_codes_is_counted_by_account(tmp_path: Path) -> None:
    async with open_office(tmp_path) as office:
        secret, _ = await with_factor(office)
    limit = {"admin.rate_limit.enabled": True, "admin.rate_limit.max": 50}
    # The same account on the same database, with a limit that sign-ins alone would not reach.
    async with reopened(tmp_path, {**limit}) as office:
        statuses = [(await office.sign_in(EMAIL, code="000000")).status for _ in range(51)]
        late = await office.sign_in(EMAIL, code=code_at(secret, office.clock.now // 30_000))

    assert statuses[-1] == 429
    assert late.status == 429


def reopened(folder: Path, settings: dict[str, object]) -> AbstractAsyncContextManager[Office]:
    database = folder / ".tmp" / "data.db"
    return open_office(
        folder / "again", settings={**settings, "database.filename": database}, boss=False
    )


async def test_h082_a_link_to_reset_the_password_does_not_skip_it(tmp_path: Path) -> None:
    async with office_with_mail(tmp_path) as (office, inbox):
        secret, _ = await with_factor(office)
        form = {"resetPasswordToken": await token_sent(office, inbox), "password": "Another1horse"}
        without = await office.ask("POST", RESET, form)
        old = await office.sign_in(EMAIL, code=code(office, secret))
        reset = await office.ask("POST", RESET, {**form, "code": code(office, secret)})

    assert without.status == 401
    assert (old.status, reset.status) == (200, 200)


async def test_h082_it_is_begun_with_the_password_and_removed_with_a_code_of_it(
    office: Office,
) -> None:
    async def remove(password: str, given: str) -> Reply:
        body = {"password": password, "code": given}
        return await office.ask("POST", f"{SECOND_FACTOR}/remove", body, token=office.boss)

    wrong = await office.ask("POST", SECOND_FACTOR, {"password": "x"}, token=office.boss)
    secret, _ = await with_factor(office)
    again = await office.ask("POST", SECOND_FACTOR, {"password": PASSWORD}, token=office.boss)

    assert (wrong.status, again.status) == (400, 400)
    assert (await remove(PASSWORD, "000000")).status == 400
    assert (await remove("x", code(office, secret))).status == 400
    office.boss = (await office.sign_in(EMAIL, code=code(office, secret))).data["token"]
    assert (await remove(PASSWORD, code(office, secret))).status == 200
    assert (await office.sign_in(EMAIL)).status == 200


async def test_h082_new_recovery_codes_void_the_old_ones(office: Office) -> None:
    secret, old = await with_factor(office)
    body = {"code": code(office, secret)}
    new = await office.ask("POST", f"{SECOND_FACTOR}/recovery-codes", body, token=office.boss)

    assert (await office.sign_in(EMAIL, code=old[0])).status == 400
    assert (await office.sign_in(EMAIL, code=new.data["recoveryCodes"][0])).status == 200


async def test_who_may_change_somebody_helps_them_when_the_app_is_lost(office: Office) -> None:
    await with_factor(office)
    root = await invited(office, "root@example.com", 1)
    change = {"password": PASSWORD, "isActive": True}
    await office.ask("PUT", f"/admin/users/{root}", change, token=office.boss)
    _, less = await clerk(office, "admin::users.update")
    token = (await office.sign_in("root@example.com")).data["token"]

    own = await office.ask("DELETE", "/admin/x/users/1/second-factor", token=office.boss)
    refused = await office.ask("DELETE", "/admin/x/users/1/second-factor", token=less)
    removed = await office.ask("DELETE", "/admin/x/users/1/second-factor", token=token)
    assert (own.status, refused.status, removed.status) == (400, 403, 200)
    assert (await office.sign_in(EMAIL)).status == 200


async def test_neither_secret_nor_codes_are_kept_in_clear(tmp_path: Path) -> None:
    async with open_office(tmp_path) as office:
        secret, recovery = await with_factor(office)
    kept = b"".join(path.read_bytes() for path in (tmp_path / ".tmp").glob("data.db*"))

    for one in (secret, *recovery, *(code.replace("-", "") for code in recovery)):
        assert one.encode() not in kept
