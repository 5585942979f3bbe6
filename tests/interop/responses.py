"""Sends the recorded reads to two servers, and reports different responses."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from tests.conformance.client import Authorization, ClientResponse
from tests.conformance.corpus import JSON, ReadCase, credentials, read_cases
from tests.conformance.deviations import read_deviations
from tests.conformance.over_socket import SocketClient

_SHOWN = 20


class Side(NamedTuple):
    """One of two servers: its name in reports, and its client."""

    name: str
    client: SocketClient


async def differing(one: Side, other: Side, settle: Callable[[JSON], JSON]) -> tuple[str, ...]:
    """Ask both the recorded reads; returns a line for each that they answer differently.

    ``settle`` brings what is in no order into one. Left out is what Quire answers otherwise on
    purpose. Where ``other`` fails, on whatever database, anything else is better.
    """
    first, second = (Authorization(side.client, credentials()) for side in (one, other))
    reported: list[str] = []
    for case in _comparable():
        ours = await _ask(one.client, first, case)
        theirs = await _ask(other.client, second, case)
        failed = theirs.status >= 500 > ours.status
        if failed or (ours.status, settle(ours.json)) == (theirs.status, settle(theirs.json)):
            continue
        found = f"{one.name} {ours.status}, {other.name} {theirs.status}"
        reported.append(f"{case.method} {case.path}: {found}")
    return tuple(_bounded(reported))


def _comparable() -> Iterator[ReadCase]:
    rows = read_deviations()
    for case in read_cases():
        if not (case.status == 500 or case.deviation or any(row.covers(case) for row in rows)):
            yield case


async def _ask(
    client: SocketClient, authorization: Authorization, case: ReadCase
) -> ClientResponse:
    headers = {**await authorization.headers(case.auth), **case.headers}
    return await client.request(case.method, case.path, headers)


def _bounded(found: Sequence[str]) -> list[str]:
    more = len(found) - _SHOWN
    return [*found[:_SHOWN], *([f"and {more} more"] if more > 0 else [])]
