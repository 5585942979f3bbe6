"""Several processes with one database see acknowledged writes of each other at once.

The processes are two servers that were started on their own, or the two workers of one. Each test
changes one thing through one process and looks at it through the other, again and again and in both
directions. The process that is looked at has answered the same request before, so that it has in
memory what there was.
"""

import json
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import cycle
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import pytest

from tests.conformance.corpus import CORPUS
from tests.databases.kind import Kind
from tests.examples import examples
from tests.unit.cli.processes import serving

ROUNDS = examples(12)
"""Changes per test; each process makes half of them."""
CONNECTIONS = 6
"""Connections to a server of several workers, so that each worker has some."""

RECORDED = json.loads((CORPUS / "credentials.json").read_bytes())
TOKEN = RECORDED["api_tokens"]["full"]["accessKey"]
ANONYMOUS = None
PASSWORD = "Correct1horse"


class Reply:
    """A status, and the parsed JSON of the body (``None`` without JSON)."""

    def __init__(self, status: int, content: bytes) -> None:
        self.status = status
        self.json: Any = json.loads(content) if content.startswith((b"{", b"[")) else None

    @property
    def data(self) -> Any:  # noqa: ANN401 - as JSON gives it
        return self.json["data"]


class Client:
    """Keeps connections to one server, and uses them in turn.

    Requests carry the full-access token unless they are given another one.
    """

    def __init__(self, address: str, connections: int = 1) -> None:
        # Idle connections are left before the server closes them.
        limits = httpx.Limits(max_connections=1, keepalive_expiry=2)
        self._connections = [
            httpx.Client(base_url=address, timeout=60, limits=limits) for _ in range(connections)
        ]
        self._next = cycle(self._connections)

    def send(
        self, method: str, target: str, body: object = None, *, token: str | None = TOKEN
    ) -> Reply:
        headers = {"Content-Type": "application/json"}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        content = None if body is None else json.dumps(body)
        response = next(self._next).request(method, target, content=content, headers=headers)
        return Reply(response.status_code, response.content)

    def get(self, target: str) -> Any:  # noqa: ANN401 - as JSON gives it
        reply = self.send("GET", target)
        assert reply.status == 200, (target, reply.status, reply.json)
        return reply.json

    def close(self) -> None:
        for connection in self._connections:
            connection.close()


class Servers:
    """Two ways to the processes, and the access token of the administrator."""

    def __init__(self, first: Client, second: Client) -> None:
        self.first = first
        self.second = second
        self.administrator = sign_in(first, RECORDED["admin"])

    def in_turn(self) -> Iterator[tuple[int, Client, Client]]:
        """Yield a number, who changes something, and who is looked at."""
        for number in range(ROUNDS):
            writer, reader = self.first, self.second
            yield (number, writer, reader) if number % 2 else (number, reader, writer)

    def manage(self, client: Client, method: str, target: str, body: object = None) -> Any:  # noqa: ANN401 - as JSON gives it
        """Send a request as the administrator, which must succeed; returns its JSON."""
        reply = client.send(method, target, body, token=self.administrator)
        assert reply.status in {200, 201, 204}, (target, reply.status, reply.json)
        return reply.json


def sign_in(client: Client, admin_user: Mapping[str, str]) -> str:
    body = {name: admin_user[name] for name in ("email", "password")}
    reply = client.send("POST", "/admin/login", body, token=ANONYMOUS)
    assert reply.status == 200, reply.json
    token: str = reply.data["token"]
    return token


@contextmanager
def served(kind: Kind, recorded: Path, folder: Path) -> Iterator[Path]:
    """A copy of the recorded project whose webhooks may call this machine."""
    project = kind.copy(recorded, folder / "project")
    with (project / "quire.toml").open("a", encoding="utf-8") as file:
        file.write("\n[webhooks]\nprivate_addresses = true\n")
    yield project
    kind.release(project)


@pytest.fixture(scope="module")
def neighbours(
    kind: Kind, recorded: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Servers]:
    """Two servers that were started on their own."""
    with ExitStack() as stack:
        project = stack.enter_context(served(kind, recorded, tmp_path_factory.mktemp("servers")))
        started = [stack.enter_context(serving("start", project)) for _ in range(2)]
        yield Servers(*(stack.enter_context(closing(Client(address))) for address, _ in started))


@pytest.fixture(scope="module")
def nodes(
    kind: Kind, recorded: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Servers]:
    """Two servers that share nothing but the database: each has a separate folder."""
    with ExitStack() as stack:
        project = stack.enter_context(served(kind, recorded, tmp_path_factory.mktemp("nodes")))
        other = apart(project, project.with_name("other"))
        started = [stack.enter_context(serving("start", one)) for one in (project, other)]
        yield Servers(*(stack.enter_context(closing(Client(address))) for address, _ in started))


def apart(project: Path, folder: Path) -> Path:
    """Copy a project without what servers write into its folder; it keeps its database."""
    copied = shutil.copytree(project, folder, ignore=shutil.ignore_patterns(".tmp", "uploads"))
    file = project / ".tmp" / "data.db"
    if file.exists():
        with (copied / ".env").open("a", encoding="utf-8") as environment:
            environment.write(f"\nDATABASE_FILENAME={file}\n")
    return copied


@pytest.fixture(scope="module")
def workers(
    kind: Kind, recorded: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Servers]:
    """The two workers of one server; each of the clients reaches both."""
    with ExitStack() as stack:
        project = stack.enter_context(served(kind, recorded, tmp_path_factory.mktemp("workers")))
        address, _ = stack.enter_context(serving("start", project, "--workers", "2"))
        clients = [Client(address, CONNECTIONS) for _ in range(2)]
        yield Servers(*(stack.enter_context(closing(client)) for client in clients))


@pytest.fixture(scope="module", params=["same folder", "own folders"])
def servers(request: pytest.FixtureRequest, kind: Kind) -> Servers:
    """Two servers, in one folder and in two."""
    name = "neighbours" if request.param == "same folder" else "nodes"
    found: Servers = request.getfixturevalue(name)
    return found


@pytest.fixture(params=["neighbours", "nodes", "workers"])
def processes(request: pytest.FixtureRequest, kind: Kind) -> Servers:
    found: Servers = request.getfixturevalue(request.param)
    return found


def wait_for(condition: Callable[[], bool]) -> None:
    latest = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < latest
        time.sleep(0.02)


def locale_ids(servers: Servers) -> dict[str, int]:
    found = servers.manage(servers.first, "GET", "/i18n/locales")
    return {locale["code"]: locale["id"] for locale in found}


def test_default_locale(processes: Servers) -> None:
    ids = locale_ids(processes)
    target = "/api/articles?fields=locale&pagination[pageSize]=1"
    managed = "/content-manager/collection-types/api::article.article?pageSize=1"
    for number, writer, reader in processes.in_turn():
        reader.get(target)
        code = ("fr", "de", "en")[number % 3]
        processes.manage(writer, "PUT", f"/i18n/locales/{ids[code]}", {"isDefault": True})
        assert [one["code"] for one in reader.get("/api/i18n/locales") if one["isDefault"]] == [
            code
        ]
        assert [entry["locale"] for entry in reader.get(target)["data"]] == [code]
        listed = processes.manage(reader, "GET", managed)
        assert [entry["locale"] for entry in listed["results"]] == [code]
        made = reader.send("POST", "/api/articles", {"data": {"title": f"written {number}"}})
        assert made.status == 201
        assert made.data["locale"] == code
    processes.manage(processes.first, "PUT", f"/i18n/locales/{ids['en']}", {"isDefault": True})


def test_list_of_locales(servers: Servers) -> None:
    for _, writer, reader in servers.in_turn():
        reader.get("/api/i18n/locales")
        body = {"code": "sv", "name": "Swedish", "isDefault": False}
        made = servers.manage(writer, "POST", "/i18n/locales", body)
        assert "sv" in [one["code"] for one in reader.get("/api/i18n/locales")]
        assert "sv" in [one["code"] for one in servers.manage(reader, "GET", "/i18n/locales")]
        written = reader.send(
            "POST", "/api/tags?locale=sv", {"data": {"label": "made where it was added elsewhere"}}
        )
        assert (written.status, written.data["locale"]) == (201, "sv")
        servers.manage(writer, "DELETE", f"/i18n/locales/{made['id']}")
        assert "sv" not in [one["code"] for one in reader.get("/api/i18n/locales")]
        assert reader.get("/api/tags?locale=sv")["data"] == []


def test_lists_and_counts(processes: Servers) -> None:
    target = "/api/tags?fields=label&sort=id:desc&pagination[pageSize]=1"
    for number, writer, reader in processes.in_turn():
        before = reader.get(target)["meta"]["pagination"]["total"]
        label = f"tag {number}"
        made = writer.send("POST", "/api/tags", {"data": {"label": label}})
        assert made.status == 201
        after = reader.get(target)
        assert after["meta"]["pagination"]["total"] == before + 1
        assert [entry["label"] for entry in after["data"]] == [label]
        assert writer.send("DELETE", f"/api/tags/{made.data['documentId']}").status == 204
        assert reader.get(target)["meta"]["pagination"]["total"] == before


def test_permissions_of_a_role_of_end_users(servers: Servers) -> None:
    roles = servers.manage(servers.first, "GET", "/users-permissions/roles")["roles"]
    public = next(role["id"] for role in roles if role["type"] == "public")
    path = f"/users-permissions/roles/{public}"
    permissions = servers.manage(servers.first, "GET", path)["role"]["permissions"]
    find = permissions["api::tag"]["controllers"]["tag"]["find"]
    for number, writer, reader in servers.in_turn():
        reader.send("GET", "/api/tags", token=ANONYMOUS)
        find["enabled"] = bool(number % 2)
        body = {"name": "Public", "description": "-", "permissions": permissions}
        servers.manage(writer, "PUT", path, body)
        status = reader.send("GET", "/api/tags", token=ANONYMOUS).status
        assert status == (200 if find["enabled"] else 403)


def test_an_end_user_who_is_blocked(servers: Servers) -> None:
    alice = RECORDED["users"]["alice"]
    body = {"identifier": alice["email"], "password": alice["password"]}
    user = servers.first.send("POST", "/api/auth/local", body, token=ANONYMOUS).json
    for number, writer, reader in servers.in_turn():
        blocked = not number % 2
        reader.send("GET", "/api/users/me", token=user["jwt"])
        path = f"/api/users/{user['user']['id']}"
        assert writer.send("PUT", path, {"blocked": blocked}).status == 200
        status = reader.send("GET", "/api/users/me", token=user["jwt"]).status
        assert status == (401 if blocked else 200)


def test_api_tokens(servers: Servers) -> None:
    for number, writer, reader in servers.in_turn():
        body = {"name": f"token {number}", "type": "read-only"}
        made = servers.manage(writer, "POST", "/admin/api-tokens", body)["data"]
        path, key = f"/admin/api-tokens/{made['id']}", made["accessKey"]
        new = {"data": {"label": "by a token"}}
        assert reader.send("POST", "/api/tags", new, token=key).status == 403
        servers.manage(writer, "PUT", path, {"type": "full-access"})
        assert reader.send("POST", "/api/tags", new, token=key).status == 201
        renewed = servers.manage(writer, "POST", f"{path}/regenerate")["data"]["accessKey"]
        assert reader.send("GET", "/api/tags", token=key).status == 401
        assert reader.send("GET", "/api/tags", token=renewed).status == 200
        servers.manage(writer, "DELETE", path)
        assert reader.send("GET", "/api/tags", token=renewed).status == 401


@pytest.fixture(scope="module")
def editor(servers: Servers) -> dict[str, Any]:
    """An administrator whose role grants one thing, with the password to sign in."""
    role = servers.manage(servers.first, "POST", "/admin/roles", {"name": "One right"})["data"]
    body = {"firstname": "Eve", "email": "eve@example.com", "roles": [role["id"]]}
    invited = servers.manage(servers.first, "POST", "/admin/users", body)["data"]
    register = {
        "registrationToken": invited["registrationToken"],
        "userInfo": {"firstname": "Eve", "lastname": "Ed", "password": PASSWORD},
    }
    made = servers.first.send("POST", "/admin/register", register, token=ANONYMOUS)
    assert made.status == 200, made.json
    return {"id": invited["id"], "role": role["id"], "email": body["email"], "password": PASSWORD}


def test_permissions_of_a_role_of_administrators(servers: Servers, editor: dict[str, Any]) -> None:
    token = sign_in(servers.first, editor)
    for number, writer, reader in servers.in_turn():
        reader.send("GET", "/admin/webhooks", token=token)
        granted = [{"action": "admin::webhooks.read", "subject": None}] if number % 2 else []
        path = f"/admin/roles/{editor['role']}/permissions"
        servers.manage(writer, "PUT", path, {"permissions": granted})
        status = reader.send("GET", "/admin/webhooks", token=token).status
        assert status == (200 if granted else 403)


def test_administrators_and_their_sessions(servers: Servers, editor: dict[str, Any]) -> None:
    path = f"/admin/users/{editor['id']}"
    for _, writer, reader in servers.in_turn():
        token = sign_in(writer, editor)
        assert reader.send("GET", "/admin/users/me", token=token).status == 200
        servers.manage(writer, "PUT", path, {"isActive": False})
        assert reader.send("GET", "/admin/users/me", token=token).status == 401
        servers.manage(writer, "PUT", path, {"isActive": True})
        token = sign_in(reader, editor)
        assert reader.send("GET", "/admin/users/me", token=token).status == 200
        assert writer.send("POST", "/admin/logout", {}, token=token).status == 200
        assert reader.send("GET", "/admin/users/me", token=token).status == 401


def test_advanced_settings(servers: Servers) -> None:
    path = "/users-permissions/advanced"
    settings = servers.manage(servers.first, "GET", path)["settings"]
    for number, writer, reader in servers.in_turn():
        allowed = bool(number % 2)
        servers.manage(writer, "PUT", path, {**settings, "allow_register": allowed})
        name = f"reader{number}"
        body = {"username": name, "email": f"{name}@example.com", "password": PASSWORD}
        reply = reader.send("POST", "/api/auth/local/register", body, token=ANONYMOUS)
        assert reply.status == (200 if allowed else 400), reply.json


def test_providers(servers: Servers) -> None:
    path = "/users-permissions/providers"
    providers = servers.manage(servers.first, "GET", path)
    for number, writer, reader in servers.in_turn():
        github = {**providers["github"], "enabled": bool(number % 2), "key": f"key-{number}"}
        servers.manage(writer, "PUT", path, {"providers": {**providers, "github": github}})
        assert servers.manage(reader, "GET", path)["github"]["key"] == f"key-{number}"


def test_mail_templates(servers: Servers) -> None:
    path = "/users-permissions/email-templates"
    templates = servers.manage(servers.first, "GET", path)
    for number, writer, reader in servers.in_turn():
        templates["reset_password"]["options"]["object"] = f"Subject {number}"
        servers.manage(writer, "PUT", path, {"email-templates": templates})
        found = servers.manage(reader, "GET", path)
        assert found["reset_password"]["options"]["object"] == f"Subject {number}"


def test_upload_settings(servers: Servers) -> None:
    for number, writer, reader in servers.in_turn():
        on = bool(number % 2)
        body = {"sizeOptimization": on, "responsiveDimensions": on, "autoOrientation": on}
        servers.manage(writer, "PUT", "/upload/settings", body)
        found = servers.manage(reader, "GET", "/upload/settings")["data"]
        assert found["responsiveDimensions"] is on


def test_view_configuration(servers: Servers) -> None:
    path = "/content-manager/content-types/api::tag.tag/configuration"
    view = servers.manage(servers.first, "GET", path)["data"]["contentType"]
    body = {name: view[name] for name in ("settings", "metadatas", "layouts")}
    for shown in body["metadatas"].values():
        for form in shown.values():
            form.pop("mainField", None)  # derived, not accepted
    for number, writer, reader in servers.in_turn():
        servers.manage(reader, "GET", path)
        body["settings"] = {**body["settings"], "pageSize": 20 + number}
        servers.manage(writer, "PUT", path, body)
        found = servers.manage(reader, "GET", path)["data"]["contentType"]
        assert found["settings"]["pageSize"] == 20 + number


class Receiver:
    """A server that notes the labels of the entries that webhooks call it with."""

    def __init__(self) -> None:
        self.labels: list[str] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                receiver.labels.append(body["entry"]["label"])
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Log nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/hook"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    found = Receiver()
    thread = Thread(target=found.server.serve_forever)
    thread.start()
    yield found
    found.server.shutdown()
    thread.join()
    found.server.server_close()


def test_webhooks(processes: Servers, receiver: Receiver) -> None:
    expected = []
    for number, writer, reader in processes.in_turn():
        body = {"name": f"hook {number}", "url": receiver.url, "headers": {}}
        hook = {**body, "events": ["entry.create"]}
        made = processes.manage(writer, "POST", "/admin/webhooks", hook)["data"]
        label = f"heard {number}"
        assert reader.send("POST", "/api/tags", {"data": {"label": label}}).status == 201
        expected.append(label)
        wait_for(lambda: len(receiver.labels) >= len(expected))
        processes.manage(writer, "DELETE", f"/admin/webhooks/{made['id']}")
        unheard = {"data": {"label": f"not heard {number}"}}
        assert reader.send("POST", "/api/tags", unheard).status == 201
    assert receiver.labels == expected


def test_content_types(servers: Servers) -> None:
    """They follow in less than a second (docs/content-type-builder.md), so this one waits."""
    definition = {
        "displayName": "Memo",
        "singularName": "memo",
        "pluralName": "memos",
        "attributes": {"text": {"type": "string"}},
    }
    types, memo = "/content-type-builder/content-types", "api::memo.memo"
    for writer, reader in ((servers.first, servers.second), (servers.second, servers.first)):
        assert reader.send("GET", "/api/memos").status == 404
        servers.manage(writer, "POST", types, {"contentType": definition})
        wait_for_status(reader, "/api/memos", 200)
        assert reader.send("POST", "/api/memos", {"data": {"text": "new"}}).status == 201
        servers.manage(writer, "DELETE", f"{types}/{memo}")
        wait_for_status(reader, "/api/memos", 404)


def wait_for_status(client: Client, target: str, status: int) -> None:
    wait_for(lambda: client.send("GET", target).status == status)
