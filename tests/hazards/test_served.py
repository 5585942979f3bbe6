"""Served uploads: no files outside the folder, no active content on the site."""

import pytest

from tests.conformance.forms import FilePart
from tests.hazards.uploading import folder_of, upload, uploaded
from tests.hazards.visitors import ANON, FULL
from tests.hazards.writing import Editor

ACTIVE = (
    ("page.html", "text/html"),
    ("page.htm", "text/html"),
    ("page.xhtml", "application/xhtml+xml"),
    ("page.svg", "image/svg+xml"),
    ("page.xml", "application/xml"),
    ("page.js", "text/javascript"),
    ("page.mjs", "text/javascript"),
    ("page.swf", "application/x-shockwave-flash"),
    ("page.rss", "application/rss+xml"),
    ("page.unheard", "text/html"),
)
SCRIPT = b"<html><script src='page.js'></script></html>"


@pytest.mark.parametrize(("name", "type_"), ACTIVE)
async def test_h092_what_browsers_run_is_opened_in_a_sandbox(
    editor: Editor, name: str, type_: str
) -> None:
    """Without scripts, forms or the site's origin; a page and its script together cannot either."""
    (file,) = uploaded(await upload(editor, FilePart(name, SCRIPT, type_)))
    response = await editor.ask.send("GET", file["url"])
    assert response.status == 200
    assert response.headers["x-content-type-options"] == "nosniff"
    policy = response.headers["content-security-policy"].split(";")
    assert policy[0] == "sandbox"
    assert "default-src 'none'" in policy[1]
    assert "allow-" not in response.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("name", "type_"), [("a.png", "image/png"), ("a.pdf", "application/pdf"), ("a.txt", "text/x")]
)
async def test_h092_what_browsers_only_show_is_shown(editor: Editor, name: str, type_: str) -> None:
    (file,) = uploaded(await upload(editor, FilePart(name, b"x", type_)))
    response = await editor.ask.send("GET", file["url"])
    policy = response.headers["content-security-policy"]
    assert "sandbox" not in policy
    assert "frame-ancestors 'self'" in policy.split(";")
    # Chromium shows a PDF file by an embedded object, and nothing else needs one.
    objects = "'self'" if name == "a.pdf" else "'none'"
    assert f"object-src {objects}" in policy.split(";")
    assert response.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "target",
    [
        "/uploads/..%2f..%2f.env",
        "/uploads/%2e%2e/%2e%2e/.env",
        "/uploads/../../.env",
        "/uploads/%252e%252e%252f.env",
        "/uploads/..%5c..%5c.env",
        "/uploads//etc/passwd",
        "/uploads/%2fetc%2fpasswd",
        "/uploads/.hidden",
        "/uploads/a%00.txt",
        "/uploads/",
        "/uploads",
        "/uploads/link.txt",
        "/uploads/%c0%ae%c0%ae/.env",
    ],
)
async def test_h094_nothing_outside_the_folder_is_served(editor: Editor, target: str) -> None:
    folder = folder_of(editor)
    (folder / ".hidden").write_text("hidden")
    if not (folder / "link.txt").is_symlink():
        (folder / "link.txt").symlink_to(editor.settings.project / ".env")
    for method in ("GET", "HEAD"):
        response = await editor.ask.send(method, target)
        assert response.status in {400, 403, 404}
        assert b"SALT" not in response.content


async def test_a_client_with_the_file_gets_not_modified(editor: Editor) -> None:
    """A replaced file keeps its address, so browsers ask each time; a tag answers them."""
    part = FilePart("a.txt", b"first", "text/plain")
    (file,) = uploaded(await upload(editor, part))
    first = await editor.ask.send("GET", file["url"])
    tag = first.headers["etag"]
    assert (first.content, first.headers["cache-control"]) == (b"first", "max-age=0")
    for known in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        again = await editor.ask.send("GET", file["url"], headers={"If-None-Match": known})
        assert (again.status, again.content, again.headers["etag"]) == (304, b"", tag)
    since = {"If-Modified-Since": first.headers["last-modified"]}
    assert (await editor.ask.send("GET", file["url"], headers=since)).status == 304
    other = {"If-None-Match": '"other"', **since}
    assert (await editor.ask.send("GET", file["url"], headers=other)).status == 200

    await upload(
        editor, FilePart("b.txt", b"second", "text/plain"), target=f"upload?id={file['id']}"
    )
    changed = await editor.ask.send("GET", file["url"], headers={"If-None-Match": tag})
    assert (changed.status, changed.content) == (200, b"second")


@pytest.mark.parametrize(
    ("range_", "status", "content"),
    [
        ("bytes=0-3", 206, b"0123"),
        ("bytes=4-", 206, b"456789"),
        ("bytes=8-99", 206, b"89"),
        ("bytes=10-", 416, b""),
        ("bytes=99-100", 416, b""),
    ],
)
async def test_parts_of_files_are_served(
    editor: Editor, range_: str, status: int, content: bytes
) -> None:
    (file,) = uploaded(await upload(editor, FilePart("a.txt", b"0123456789", "text/plain")))
    response = await editor.ask.send("GET", file["url"], headers={"Range": range_})
    assert response.status == status
    if status == 206:
        assert response.content == content
    whole = await editor.ask.send("HEAD", file["url"])
    assert (whole.status, whole.headers["accept-ranges"]) == (200, "bytes")


async def test_a_deleted_file_is_served_no_more(editor: Editor) -> None:
    (file,) = uploaded(await upload(editor, FilePart("a.txt", b"x", "text/plain")))
    assert (await editor.ask.send("GET", file["url"], ANON)).status == 200
    assert (await editor.delete(f"upload/files/{file['id']}", FULL)).status == 200
    assert (await editor.ask.send("GET", file["url"], ANON)).status == 404
