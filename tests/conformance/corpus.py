"""The recorded corpus: requests to the reference server, its responses, and its project.

Beside this module, in `corpus/`:

==========================  ======================================================================
``reads.tar.xz``            content API reads on SQLite: a JSON Lines file for each group of cases
``reads-postgres.tar.xz``   those of them that PostgreSQL answers otherwise
``writes.tar.xz``           scenarios that write: a JSON Lines file for each group of scenarios
``ratelimit.jsonl.xz``      scenarios that exceed rate limits
``administration-*``        reads and scenarios of administrators who run the project
``content-manager-*``       reads and scenarios of administrators who manage content
``assets.tar.xz``           the files that scenarios upload
``model.jsonl.xz``          content types and components as ``content-type-builder`` describes them
``querystring.jsonl.xz``    raw query strings and the values that they were parsed into
``project.tar.xz``          the project as it was served: schema files, settings, rows, uploads
``postgresql.sql.xz``       the rows of that project as a dump of a PostgreSQL database
``credentials.json``        its API tokens in clear, its end users and its administrator
==========================  ======================================================================
"""

import json
import lzma
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any, TypeAlias

from tests.conformance.forms import recorded_form

JSON: TypeAlias = "str | int | float | bool | list[JSON] | dict[str, JSON] | None"

CORPUS = Path(__file__).parent / "corpus"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A request and its recorded response.

    Attributes:
        path: The request target, byte for byte, with its query string. auth: The principal: None
        for a visitor, the name of an API token, ``user:NAME`` for an end user,
            ``bearer:`` and a token, or ``raw:`` and the literal Authorization header.
        body: The JSON of the response; None if it had none. text: The response that is not JSON;
        bytes that are not UTF-8 are ``base64:`` and their code. length: The number of bytes of the
        response, where that was recorded. response_headers: Those headers of the response that
        belong to the case, by lower-case name. sort_body_by: The member that orders the items of a
        response whose order means nothing. deviation: Set where the reference shows what it should
        not.
    """

    method: str
    path: str
    auth: str | None
    headers: Mapping[str, str]
    status: int
    content_type: str | None
    body: JSON
    text: str | None = None
    length: int | None = None
    sort_body_by: str | None = None
    response_headers: Mapping[str, str] = field(default_factory=dict)
    deviation: str | None = None

    @property
    def sent(self) -> bytes:
        """The body of the request."""
        return b""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadCase(Recorded):
    """One request that changes nothing.

    Attributes:
        group: The file of the corpus that the case is in.
        name: What tells the case from the others of its group.
    """

    group: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Step(Recorded):
    """One request of a scenario, which may use what the responses to earlier ones said.

    ``{{step.1.body.data.documentId}}`` in its target or its JSON stands for that member of the
    first response. In its recorded response ``<id:1>``, ``<documentId:1>`` or ``<time:1>`` stand
    for what was made during the scenario, the same each time it is named.

    Attributes:
        json_body: What is sent as JSON, where `has_json_body`.
        raw_body: The body that is sent unchanged, if it is not JSON or malformed.
        multipart: The fields and files that are sent as a form.
    """

    json_body: JSON = None
    has_json_body: bool = False
    raw_body: str | None = None
    multipart: JSON = None

    @property
    def sent(self) -> bytes:
        """The body of the request, with its templates."""
        if self.multipart is not None:
            return recorded_form(self.multipart, asset)
        if self.raw_body is not None:
            return self.raw_body.encode()
        return dump(self.json_body) if self.has_json_body else b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """Requests in their order, the first of which meets the recorded project as it was.

    Attributes:
        group: The file of the corpus that the scenario is in.
        name: What tells the scenario from the others of its group.
    """

    group: str
    name: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class QueryStringCase:
    """A raw query string and the values it was parsed into, in their order."""

    query: str
    parsed: JSON


@dataclass(frozen=True, slots=True)
class ModelCase:
    """A request for a description of the model, and the text of its response, byte for byte."""

    path: str
    auth: str | None
    status: int
    body: str


@dataclass(frozen=True, slots=True)
class Credentials:
    """The API tokens of the recorded project by name, and the passwords of its end users."""

    api_tokens: Mapping[str, str]
    passwords: Mapping[str, str]


@cache
def read_cases(archive: str = "reads") -> tuple[ReadCase, ...]:
    """Return the read cases of an archive, ``reads`` or ``reads-postgres``, group by group."""
    return tuple(
        ReadCase(group=Path(name).stem, **json.loads(line))
        for name, content in sorted(archive_members(f"{archive}.tar.xz").items())
        for line in content.splitlines()
    )


@cache
def cases_on(database: str) -> tuple[ReadCase, ...]:
    """Return the read cases with the responses that were recorded on a kind of database."""
    if database != "postgresql":
        return read_cases()
    own = {(case.group, case.name): case for case in read_cases("reads-postgres")}
    return tuple(own.get((case.group, case.name), case) for case in read_cases())


@cache
def write_scenarios() -> tuple[Scenario, ...]:
    """Return the scenarios that write, group by group."""
    return tuple(
        _scenario(Path(name).stem, json.loads(line))
        for name, content in sorted(archive_members("writes.tar.xz").items())
        for line in content.splitlines()
    )


@cache
def ratelimit_scenarios() -> tuple[Scenario, ...]:
    """Return the scenarios that were recorded with limits on calls, which the others were not."""
    lines = lzma.decompress((CORPUS / "ratelimit.jsonl.xz").read_bytes()).splitlines()
    return tuple(_scenario("ratelimit", json.loads(line)) for line in lines)


@cache
def querystring_cases() -> tuple[QueryStringCase, ...]:
    """Return the query strings with the values they were parsed into."""
    lines = lzma.decompress((CORPUS / "querystring.jsonl.xz").read_bytes()).splitlines()
    return tuple(QueryStringCase(**json.loads(line)) for line in lines)


@cache
def model_cases() -> tuple[ModelCase, ...]:
    """Return the requests for descriptions of the model."""
    lines = lzma.decompress((CORPUS / "model.jsonl.xz").read_bytes()).splitlines()
    return tuple(ModelCase(**json.loads(line)) for line in lines)


@cache
def credentials() -> Credentials:
    """Return what the recorded requests authenticated themselves with."""
    recorded = json.loads((CORPUS / "credentials.json").read_bytes())
    return Credentials(
        api_tokens={name: token["accessKey"] for name, token in recorded["api_tokens"].items()},
        passwords={name: user["password"] for name, user in recorded["users"].items()},
    )


def unpack_project(target: Path) -> Path:
    """Lay out the recorded project in the folder `target`, ready to be served, and return it.

    The database is its ``.tmp/data.db``, the uploaded files are in its ``public/uploads``.
    """
    for name, content in _project().items():
        file = target / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return target


@cache
def _project() -> Mapping[str, bytes]:
    return archive_members("project.tar.xz")


@cache
def _assets() -> Mapping[str, bytes]:
    return archive_members("assets.tar.xz")


def asset(name: str) -> bytes:
    """Return a file that scenarios upload."""
    return _assets()[name]


def postgresql_dump() -> str:
    """Return the SQL script that makes the tables and rows of the project in PostgreSQL."""
    return lzma.decompress((CORPUS / "postgresql.sql.xz").read_bytes()).decode()


def dump(value: JSON) -> bytes:
    """Write a value as the JSON of a request."""
    return json.dumps(value, ensure_ascii=False).encode()


def _scenario(group: str, recorded: Any) -> Scenario:  # noqa: ANN401 - as JSON gives it
    return Scenario(
        group=group, name=recorded["name"], steps=tuple(map(recorded_step, recorded["steps"]))
    )


def recorded_step(recorded: Any) -> Step:  # noqa: ANN401 - as JSON gives it
    """Return a step of a scenario as it is written in the corpus."""
    request, response = recorded["request"], dict(recorded)
    del response["request"]
    return Step(
        method=request["method"],
        path=request["path"],
        auth=request["auth"],
        headers=request.get("headers", {}),
        json_body=request.get("body"),
        has_json_body="body" in request,
        raw_body=request.get("raw_body"),
        multipart=request.get("multipart"),
        **response,
    )


def archive_members(archive: str) -> dict[str, bytes]:
    """Return the files of an archive by their path in it."""
    content = BytesIO((CORPUS / archive).read_bytes())
    with tarfile.open(fileobj=content, mode="r:xz") as members:
        files = ((member, members.extractfile(member)) for member in members)
        return {member.name: file.read() for member, file in files if file}
