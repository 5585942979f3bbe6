"""Rate limits apply across processes and servers, and after a restart."""

import json
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, HTTPResponse
from urllib.parse import urlsplit

import pytest

from quire.auth.counter_exchange import EXCHANGE_SECONDS
from quire.settings import Settings
from tests.databases.kinds import POSTGRESQL
from tests.hazards.writing import JSON_HEADERS
from tests.reliability.test_several_servers import apart
from tests.unit.cli.processes import serving

GUESSES = 40
ALLOWED = 10
INTERVAL_S = 3600


def posted(address: str, target: str, body: object) -> HTTPResponse:
    """Post over a connection of one's own."""
    parts = urlsplit(address)
    connection = HTTPConnection(parts.hostname or "", parts.port or 0, timeout=60)
    connection.request("POST", target, json.dumps(body), JSON_HEADERS)
    response = connection.getresponse()
    response.read()
    connection.close()
    return response


def guess_users(address: str) -> HTTPResponse:
    body = {"identifier": "ada", "password": "guessed-7-times"}
    return posted(address, "/api/auth/local", body)


def guess_administrators(address: str) -> HTTPResponse:
    body = {"email": "ada@example.org", "password": "guessed-7-times"}
    return posted(address, "/admin/login", body)


def test_h071_processes_count_together_and_go_on_counting_after_a_restart(
    own_newsroom: Settings,
) -> None:
    """One address has one limit across processes and servers, also after a restart."""
    with (own_newsroom.project / "quire.toml").open("a") as file:
        for who in ("users", "admin"):
            file.write(f'\n[{who}.rate_limit]\ninterval = "{INTERVAL_S}s"\n')
    options = ("start", own_newsroom.project, "--workers", "2")
    with serving(*options) as (address, _), ThreadPoolExecutor(GUESSES) as clients:
        for guess, allowed in ((guess_users, ALLOWED), (guess_administrators, 5)):
            statuses = Counter(one.status for one in clients.map(guess, [address] * GUESSES))
            assert statuses == {400: allowed, 429: GUESSES - allowed}
    with serving(*options) as (address, _), serving(*options[:2]) as (second, _):
        for guess in (guess_users, guess_administrators):
            for server in (address, second):
                refused = guess(server)
                assert refused.status == 429
                assert 0 < int(refused.headers["Retry-After"]) <= INTERVAL_S


@pytest.mark.parametrize("kind", [POSTGRESQL], indirect=True)
def test_h071_machines_count_together(own_newsroom: Settings) -> None:
    """Servers that share the database alone have one limit, but for what a second lets through."""
    with (own_newsroom.project / "quire.toml").open("a") as file:
        file.write(f'\n[users.rate_limit]\ninterval = "{INTERVAL_S}s"\n')
    other = apart(own_newsroom.project, own_newsroom.project.with_name("other"))
    with (
        serving("start", own_newsroom.project) as (first, _),
        serving("start", other) as (second, _),
    ):
        while guess_users(first).status != 429:
            pass
        # Fewer guesses than one machine allows: only what the first has counted refuses them.
        for _ in range(ALLOWED - 2):
            if guess_users(second).status == 429:
                return
            time.sleep(2 * EXCHANGE_SECONDS)
    pytest.fail("the second machine never heard of the first")
