"""Responses to administrators are sent compressed, if clients accept that and it is worth it."""

import gzip
import json

from tests.unit.admin_api.office import Office

MODEL = "/content-manager/init"
ACCEPTED = {"accept-encoding": "gzip, deflate, br"}


async def test_large_responses_are_compressed_for_clients_that_accept_it(office: Office) -> None:
    plain = await office.send("GET", MODEL, token=office.boss)
    compressed = await office.send("GET", MODEL, token=office.boss, headers=ACCEPTED)

    assert "content-encoding" not in plain.headers
    assert compressed.headers["content-encoding"] == "gzip"
    assert "Accept-Encoding" in compressed.headers["vary"]
    assert "Accept-Encoding" in plain.headers["vary"]
    assert json.loads(gzip.decompress(compressed.content)) == plain.json
    assert int(compressed.headers["content-length"]) == len(compressed.content)
    assert len(compressed.content) * 4 < len(plain.content)


async def test_small_and_public_responses_are_sent_as_they_are(office: Office) -> None:
    small = await office.send("GET", "/admin/users/me", token=office.boss, headers=ACCEPTED)
    public = await office.send("GET", "/admin/init", headers=ACCEPTED)

    for response in (small, public):
        assert response.status == 200
        assert "content-encoding" not in response.headers


async def test_clients_get_no_encoding_that_they_refuse(office: Office) -> None:
    plain = await office.send(
        "GET", MODEL, token=office.boss, headers={"accept-encoding": "gzip;q=0, identity"}
    )
    small = await office.send(
        "GET",
        "/admin/users/me",
        token=office.boss,
        headers={"accept-encoding": "gzip, identity;q=0"},
    )

    assert "content-encoding" not in plain.headers
    assert json.loads(plain.content) == plain.json
    assert small.headers["content-encoding"] == "gzip"
    assert json.loads(gzip.decompress(small.content))["data"]["id"] == 1
