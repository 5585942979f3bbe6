"""Files of a project on a WebDAV server, simulated by a dictionary."""

from collections.abc import AsyncIterator
from email.utils import format_datetime
from hashlib import sha256
from urllib.parse import unquote
from xml.sax.saxutils import escape

import httpx
import pytest
from quire_webdav.storage import WebDav

from quire import FileMeta, now
from quire.testing import Client, Project

BASIC = "Basic cXVpcmU6Zm9yLXRlc3Rz"


class Server:
    """Answers the methods that the backend uses; ``broken`` is one that fails."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.broken: str | None = None

    async def __call__(self, request: httpx.Request) -> httpx.Response:
        """Answer a request."""
        await request.aread()
        assert request.headers["authorization"] == BASIC
        path = unquote(request.url.raw_path.decode())
        if request.method == self.broken:
            return httpx.Response(500)
        match request.method:
            case "PUT":
                self.files[path] = request.content
                return httpx.Response(201)
            case "MOVE":
                target = httpx.URL(request.headers["destination"]).raw_path.decode()
                self.files[unquote(target)] = self.files.pop(path)
                return httpx.Response(201)
            case "PROPFIND":
                return httpx.Response(207, content=self._listing())
            case _ if path not in self.files:
                return httpx.Response(404)
            case "DELETE":
                del self.files[path]
                return httpx.Response(204)
            case _:
                content = self.files[path]
                tag = sha256(content).hexdigest()
                body = b"" if request.method == "HEAD" else content
                return httpx.Response(200, headers={"etag": tag}, content=body)

    def _listing(self) -> str:
        members = "".join(
            f"<D:response><D:href>{escape(path)}</D:href><D:propstat><D:prop>"
            f"<D:getcontentlength>{len(content)}</D:getcontentlength>"
            f"<D:getlastmodified>{format_datetime(now())}</D:getlastmodified>"
            "</D:prop></D:propstat></D:response>"
            for path, content in self.files.items()
        )
        folder = "<D:response><D:href>/files/</D:href></D:response>"
        return f'<D:multistatus xmlns:D="DAV:">{folder}{members}</D:multistatus>'


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    """The server that the backend speaks to."""
    server = Server()
    monkeypatch.setattr(WebDav, "transport", httpx.MockTransport(server))
    return server


async def upload(admin: Client) -> httpx.Response:
    """Upload a file as an administrator."""
    return await admin.post("/upload", files={"files": ("note.txt", b"Low water", "text/plain")})


async def test_an_upload_is_on_the_server_and_served(server: Server, project: Project) -> None:
    """A file is stored, sent and deleted."""
    admin = await project.admin()
    (file,) = (await upload(admin)).json()
    assert file["provider"] == "webdav"
    assert server.files == {f"/files/{file['hash']}.txt": b"Low water"}
    assert (await project.get(file["url"])).content == b"Low water"
    await admin.delete(f"/upload/files/{file['id']}")
    assert server.files == {}
    assert (await project.get(file["url"])).status_code == 404


@pytest.mark.parametrize("method", ["PUT", "MOVE"])
async def test_of_an_upload_that_fails_nothing_is_left(
    server: Server, project: Project, method: str
) -> None:
    """Whichever request fails, there is neither a row nor a part of a file."""
    admin = await project.admin()
    server.broken = method
    assert (await upload(admin)).status_code == 503
    assert server.files == {}
    listed = (await admin.get("/upload/files")).json()
    assert listed["pagination"]["total"] == 0


async def test_keys_are_quoted_and_hidden_files_are_not_listed(
    server: Server, project: Project
) -> None:
    """The names of files may be any."""

    async def content() -> AsyncIterator[bytes]:
        yield b"Low "
        yield b"water"

    backend = WebDav()
    await backend.put("a b.txt", content(), FileMeta(type="text/plain", size=9))
    server.files["/files/.hidden.part"] = b"x"
    assert [(one.key, one.size) async for one in backend.list()] == [("a b.txt", 9)]
    first = await backend.version("a b.txt")
    server.files["/files/a b.txt"] = b"High water"
    assert await backend.version("a b.txt") != first
    assert await backend.version("b.txt") is None
    with pytest.raises(FileNotFoundError):
        _ = [piece async for piece in backend.open("b.txt")]
