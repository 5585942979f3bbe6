"""Numbers of any size in requests of administrators are accepted or rejected."""

import json

import pytest
from jwt.api_jws import PyJWS

from tests.unit.admin_api.office import SECRETS, Office
from tests.unit.kiosk import PAPER

NUMBERS = ["0", "-1", "1.5", "9223372036854775808", "1e400", "9" * 30, "9" * 5000, "NaN"]
LIST = f"/content-manager/collection-types/{PAPER}"
PLACES = [
    f"{LIST}?page=",
    f"{LIST}?pageSize=",
    f"{LIST}?filters[id]=",
    f"{LIST}?filters[price]=",
    f"{LIST}?pagination[start]=",
    f"/content-manager/relations/{PAPER}/writer?pageSize=",
    f"/content-manager/relations/{PAPER}/writer?page=",
    f"/content-manager/relations/{PAPER}/writer?idsToOmit[0]=",
    "/admin/users?pageSize=",
    "/admin/users?page=",
    "/admin/users?filters[id]=",
    "/admin/users/",
    "/admin/roles/",
    "/admin/api-tokens/",
    "/admin/webhooks/",
    "/admin/x/webhooks/1/deliveries?limit=",
    "/admin/x/webhooks/1/deliveries?before=",
    "/admin/x/audit-logs?limit=",
    "/admin/x/audit-logs?pageSize=",
    f"/admin/x/revisions/{PAPER}/1?limit=",
    "/upload/files?page=",
    "/upload/files?pageSize=",
    "/upload/files?filters[size]=",
    "/upload/files/",
    "/upload/folders/",
    "/upload/folders?filters[id]=",
    "/users-permissions/roles/",
    "/i18n/locales/",
]


@pytest.mark.parametrize("place", PLACES)
async def test_no_number_in_an_address_is_an_error_of_the_server(
    shared_office: Office, place: str
) -> None:
    for number in NUMBERS:
        response = await shared_office.send("GET", place + number, token=shared_office.boss)
        assert response.status < 500, (number, response)


@pytest.mark.parametrize("number", [10**19, -(10**19), 10**30, 1e300, 0.5])
@pytest.mark.parametrize(
    ("method", "target", "name"),
    [
        ("POST", "/admin/api-tokens", "lifespan"),
        ("POST", "/admin/users", "roles"),
        ("PUT", "/admin/users/1", "roles"),
        ("POST", "/upload/folders", "parent"),
        ("POST", "/upload/actions/bulk-delete", "fileIds"),
        ("POST", "/upload/actions/bulk-move", "destinationFolderId"),
        ("POST", "/admin/webhooks/batch-delete", "ids"),
        ("POST", "/admin/roles/batch-delete", "ids"),
        ("POST", "/admin/users/batch-delete", "ids"),
        ("PUT", "/content-manager/content-types/" + PAPER + "/configuration", "settings"),
        ("PUT", "/upload/configuration", "pageSize"),
    ],
)
async def test_no_number_in_a_body_is_an_error_of_the_server(
    office: Office, method: str, target: str, name: str, number: float
) -> None:
    usual: dict[str, object] = {
        "name": "n",
        "description": "",
        "type": "read-only",
        "email": "a@example.com",
    }
    usual |= {"firstname": "A", "sort": "name:ASC", "fileIds": [], "folderIds": []}
    for value in (number, [number], {"pageSize": number}):
        response = await office.send(method, target, {**usual, name: value}, token=office.boss)
        assert response.status < 500, (value, response)


@pytest.mark.filterwarnings("ignore:The HMAC key is")  # secrets of tests are short
@pytest.mark.parametrize("number", [10**12, 10**19, 10**30, 1e300, -(10**30), True, "1"])
@pytest.mark.parametrize("claim", ["exp", "iat", "id", "userId"])
async def test_no_number_in_a_signed_token_is_an_error_of_the_server(
    shared_office: Office, claim: str, number: object
) -> None:
    claims = {"id": 1, "userId": "1", "iat": 1_800_000_000, "exp": 1_900_000_000, claim: number}
    for secret, target in (
        (SECRETS["JWT_SECRET"], "/api/users/me"),
        (SECRETS["ADMIN_JWT_SECRET"], "/admin/users/me"),
    ):
        token = PyJWS().encode(json.dumps(claims).encode(), secret, algorithm="HS256")
        response = await shared_office.send("GET", target, token=token)
        assert response.status < 500, response
