"""Uploads need a permission, and failed ones leave no files."""

import json

import pytest

from quire.errors import OutOfSpaceError, ServiceUnavailableError
from tests.conformance.forms import FORM_TYPE, FilePart, form
from tests.hazards.uploading import (
    TEXT,
    kept,
    picture,
    png_head,
    temporary,
    upload,
    uploaded,
)
from tests.hazards.visitors import ANON, EVERYBODY, FULL, UPLOADER, WRITER, error, serving
from tests.hazards.writing import Editor

ARTICLE = "api::article.article"
FORM = {"Content-Type": FORM_TYPE}


@pytest.fixture
def _unchanged(editor: Editor) -> object:
    """Holds that a test leaves neither rows nor files, finished or not."""
    before = editor.contents(), kept(editor)
    yield
    assert (editor.contents(), kept(editor)) == before
    assert temporary(editor) == []


async def entry_id(editor: Editor) -> str:
    (row,) = editor.sql("SELECT id FROM articles ORDER BY id LIMIT 1")
    return str(row[0])


@pytest.mark.usefixtures("_unchanged")
@pytest.mark.parametrize("who", [who for who in EVERYBODY if who != FULL])
@pytest.mark.parametrize("target", ["upload", "upload?id=1"])
async def test_h043_bytes_of_those_who_may_not_upload_are_not_even_read(
    editor: Editor, who: str | None, target: str
) -> None:
    response = await upload(editor, TEXT, target=target, who=who)
    assert response.status == 403, response.content


@pytest.mark.usefixtures("_unchanged")
@pytest.mark.parametrize("who", [ANON, WRITER])
async def test_h043_files_are_deleted_by_those_who_may_alone(
    editor: Editor, who: str | None
) -> None:
    response = await editor.delete("upload/files/1", who)
    assert response.status in {401, 403}


@pytest.mark.usefixtures("_unchanged")
@pytest.mark.parametrize(
    ("ref", "field"),
    [(ARTICLE, "cover"), ("admin::user", "avatar"), ("api::author.author", "portrait"), ("x", "y")],
)
async def test_h042_files_are_attached_by_those_who_may_change_the_entry_alone(
    editor: Editor, ref: str, field: str
) -> None:
    place = [("ref", ref), ("refId", await entry_id(editor)), ("field", field)]
    response = await upload(editor, TEXT, fields=place, who=UPLOADER)
    assert response.status == 403, response.content


@pytest.mark.usefixtures("_unchanged")
@pytest.mark.parametrize(
    ("ref", "entry", "field"),
    [
        (ARTICLE, "999999", "cover"),
        (ARTICLE, "abc", "cover"),
        (ARTICLE, None, "title"),
        (ARTICLE, None, "nothing"),
        ("shared.seo", "1", "image"),
        ("admin::user", "1", "avatar"),
        ("nothing", "1", "cover"),
    ],
)
async def test_h042_files_are_attached_to_media_of_entries_that_are_there(
    editor: Editor, ref: str, entry: str | None, field: str
) -> None:
    place = [("ref", ref), ("refId", entry or await entry_id(editor)), ("field", field)]
    response = await upload(editor, TEXT, fields=place)
    assert (response.status, error(response)["name"]) == (400, "ValidationError")


async def test_h042_whoever_may_change_an_entry_attaches_files_to_it(editor: Editor) -> None:
    row = await entry_id(editor)
    place = [("ref", ARTICLE), ("refId", row), ("field", "cover")]
    first, second = [uploaded(await upload(editor, TEXT, fields=place))[0]["id"] for _ in range(2)]
    found = editor.sql(
        "SELECT file_id FROM files_related_mph WHERE related_type = ? AND field = ? "
        f"AND related_id = {row}",
        ARTICLE,
        "cover",
    )
    assert found == [(second,)]
    assert first != second


@pytest.mark.parametrize(
    "name",
    [
        "../../evil.txt",
        "..\\evil.txt",
        "/etc/passwd",
        "a\0b.txt",
        "a\x1fb.txt",
        "a:b.txt",
        "what?.txt",
        "<b>.txt",
        "pipe|.txt",
        "CON",
        "x" * 252 + ".txt",
    ],
)
@pytest.mark.usefixtures("_unchanged")
async def test_h093_names_that_are_none_are_refused(editor: Editor, name: str) -> None:
    response = await upload(editor, FilePart(name, b"x", "text/plain"))
    assert response.status == 400
    assert error(response)["message"] in {
        "File name contains invalid characters",
        "the multipart body cannot be read",
        "Files are empty",
    }


@pytest.mark.parametrize(
    "name",
    [
        ".htaccess",
        "..hidden.txt",
        "NUL.txt",
        "a\u202egnp.txt",
        "a.txt\u202e",
        "%2e%2e%2fevil.txt",
        "x" * 251 + ".txt",
        "\u65e5\u672c\u8a9e.txt",
        "a." + "b" * 200,
    ],
)
@pytest.mark.parametrize("said", [None, "../../evil", "a/b\\c", ".."])
async def test_h093_files_land_in_their_folder_whatever_they_are_called(
    editor: Editor, name: str, said: str | None
) -> None:
    """A name is what people see; the place is made of letters, digits and chance."""
    before = kept(editor)
    fields = [] if said is None else [("fileInfo", json.dumps({"name": said}))]
    (file,) = uploaded(await upload(editor, FilePart(name, b"x", "text/plain"), fields=fields))
    assert file["name"] == (said or name)
    (place,) = kept(editor).keys() - before.keys()
    assert file["url"] == f"/uploads/{place}"
    assert place == file["hash"] + file["ext"]
    assert len(place.encode()) <= 255
    assert not place.startswith(".")
    assert all(letter.isalnum() or letter in "_." for letter in place)


@pytest.mark.parametrize(
    "said",
    [
        r'{"caption": "\ud800"}',
        r'{"name": "\udc00.txt"}',
        r'{"alternativeText": ["\ud800"]}',
        r'{"focalPoint": {"x": "\ud800", "y": 1}}',
        f'{{"focalPoint": {{"x": {"9" * 4000}, "y": 1}}}}',
        '{"focalPoint": {"x": 1e999, "y": 1}}',
    ],
    ids=range(6),
)
async def test_h118_information_that_cannot_be_stored_is_refused(editor: Editor, said: str) -> None:
    before = kept(editor)
    response = await upload(editor, TEXT, fields=[("fileInfo", said)])
    assert response.status == 400, response.content
    assert json.loads(response.content)["error"]["name"] == "ValidationError"
    assert kept(editor) == before


@pytest.mark.parametrize(
    "said",
    [
        {"hash": "x"},
        {"url": "/etc/passwd"},
        {"ext": ".exe", "mime": "text/html"},
        {"path": "..", "folder": 1, "folderPath": "/9"},
        {"provider": "x", "provider_metadata": {"a": 1}},
        {"id": 1, "documentId": "x", "size": 7, "formats": {"x": {"hash": "../x"}}},
    ],
)
async def test_h096_nobody_says_where_a_file_is(editor: Editor, said: dict[str, object]) -> None:
    fields = [("fileInfo", json.dumps(said))]
    (file,) = uploaded(await upload(editor, TEXT, fields=fields))
    shown = await editor.send("POST", f"upload?id={file['id']}", {"fileInfo": said})
    changed = json.loads(shown.content)
    assert {**changed, "updatedAt": None} == {**file, "updatedAt": None}
    assert file["hash"].startswith("note_")
    assert (file["ext"], file["mime"], file["provider"]) == (".txt", "text/plain", "local")


JPEG = picture(300, 200, ".jpg")
PNG = picture(300, 200, ".png")
GIF = picture(300, 200, ".gif")
INVALID = "File is not a valid image"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("cut.jpg", JPEG[: len(JPEG) // 2], INVALID),
        ("head.jpg", JPEG[:30], INVALID),
        ("cut.png", PNG[: len(PNG) // 2], INVALID),
        ("cut.gif", GIF[: len(GIF) // 2], INVALID),
        ("cut.webp", picture(300, 200, ".webp")[:200], INVALID),
        ("cut.tiff", picture(300, 200, ".tiff")[:2000], INVALID),
        ("cut.avif", picture(300, 200, ".avif")[:-40], INVALID),
        ("damaged.png", PNG[:300] + b"\xff" * 8 + PNG[308:], INVALID),
        ("huge.png", png_head(50_000, 50_000), "The image has more pixels than can be dealt with"),
        ("wide.png", png_head(2_000_000_000, 1), INVALID),
    ],
)
@pytest.mark.usefixtures("_unchanged")
async def test_h095_damaged_pictures_and_bombs_are_refused(
    editor: Editor, name: str, content: bytes, message: str
) -> None:
    response = await upload(editor, TEXT, FilePart(name, content))
    assert (response.status, error(response)["message"]) == (400, message)


@pytest.mark.usefixtures("_unchanged")
async def test_h095_a_form_that_is_cut_anywhere_leaves_nothing(editor: Editor) -> None:
    whole = form([FilePart("a.png", PNG[:300], "image/png"), TEXT], [("fileInfo", "[]")])
    for length in range(0, len(whole) - 4, 13):
        response = await editor.send("POST", "upload", whole[:length], FULL, FORM)
        assert response.status == 400, response.content


@pytest.mark.usefixtures("_unchanged")
@pytest.mark.parametrize("text", ["not json", "", "null", "[]", "5", '"x"', "{", "NaN", "[[]]"])
async def test_h095_what_is_said_of_a_file_is_an_object(editor: Editor, text: str) -> None:
    response = await upload(editor, TEXT, fields=[("fileInfo", text)])
    assert (response.status, error(response)["name"]) == (400, "ValidationError")


@pytest.mark.usefixtures("_unchanged")
@pytest.mark.parametrize(
    ("problem", "status"), [(OutOfSpaceError, 507), (ServiceUnavailableError, 503)]
)
@pytest.mark.parametrize("at", [0, 1, 2])
async def test_h095_a_storage_that_fails_keeps_nothing(
    editor: Editor,
    monkeypatch: pytest.MonkeyPatch,
    problem: type[OutOfSpaceError],
    status: int,
    at: int,
) -> None:
    library = editor.ask.application.library
    assert library is not None
    put, calls = library.storage.put, iter(range(99))

    async def fail(*args: object, **options: object) -> None:
        if next(calls) == at:
            raise problem
        await put(*args, **options)  # type: ignore[arg-type]  # as it was called

    monkeypatch.setattr(library.storage, "put", fail)
    response = await upload(editor, TEXT, FilePart("a.jpg", JPEG, "image/jpeg"))
    assert response.status == status


@pytest.mark.usefixtures("_unchanged")
@pytest.mark.parametrize("target", ["upload", "upload?id=1"])
async def test_h095_a_database_that_fails_leaves_no_bytes(
    editor: Editor, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    documents = editor.ask.application.documents
    assert documents is not None

    async def fail(*_: object, **__: object) -> None:
        raise ServiceUnavailableError

    monkeypatch.setattr(documents._database, "write", fail)  # noqa: SLF001 - as a lock would
    response = await upload(editor, FilePart("a.jpg", JPEG, "image/jpeg"), target=target)
    assert response.status == 503


async def test_h095_files_beyond_the_limit_are_refused_while_they_come(
    editor: Editor,
) -> None:
    project = editor.settings.project
    async with serving(project, uploads__size_limit=1000) as visitor:
        other = Editor(visitor, editor.settings)
        before = kept(other)
        response = await upload(other, TEXT, FilePart("big.txt", bytes(1001), "text/plain"))
        assert (response.status, error(response)["message"]) == (
            413,
            "big.txt exceeds size limit of 1 KB.",
        )
        assert uploaded(await upload(other, FilePart("a.txt", bytes(1000), "text/plain")))
        assert len(kept(other)) == len(before) + 1
        assert temporary(other) == []


async def test_h095_all_files_of_a_request_are_bounded_together(editor: Editor) -> None:
    limits = {"uploads__size_limit": 1000, "uploads__request_limit": 2500}
    async with serving(editor.settings.project, **limits) as visitor:
        other = Editor(visitor, editor.settings)
        before = kept(other)
        parts = [FilePart(f"{number}.txt", bytes(1000), "text/plain") for number in range(3)]
        response = await upload(other, *parts)
        assert error(response)["message"] == "The files exceed size limit of 2.5 KB."
        assert (response.status, kept(other), temporary(other)) == (413, before, [])
        assert len(uploaded(await upload(other, *parts[:2]))) == 2


DENIED = (
    FilePart("a.html", b"<html></html>", "text/html"),
    FilePart("a.txt", b"x", "text/html"),
    FilePart("a.html", b"x", "text/plain"),
    FilePart("a.html", b"x"),
    FilePart("a.HTML", b"x", "image/png"),
    FilePart("a.png", b"MZ" + bytes(99), "image/png"),
    FilePart("a.exe", b"x", "text/plain"),
    FilePart("a", b"<svg xmlns='http://www.w3.org/2000/svg'/>", "text/plain"),
)


@pytest.mark.parametrize("part", DENIED)
async def test_h091_denied_types_are_refused_at_every_door(editor: Editor, part: FilePart) -> None:
    denied = ("text/html", "application/x-msdownload", "application/x-msdos-program", "image/svg*")
    settings = {"uploads__denied_types": (*denied[:3], "image/svg+xml")}
    async with serving(editor.settings.project, **settings) as visitor:
        other = Editor(visitor, editor.settings)
        before = kept(other)
        for target in ("upload", "upload?id=1"):
            response = await upload(other, part, target=target)
            assert (response.status, error(response)["name"]) == (400, "ValidationError")
        form_of_content = await upload(other, part, target="articles")
        assert form_of_content.status == 400
        assert kept(other) == before
        (left,) = uploaded(await upload(other, part, TEXT))
        assert left["name"] == TEXT.filename


async def test_h091_only_allowed_types_come_in(editor: Editor) -> None:
    allowed = ("image/*",)
    async with serving(editor.settings.project, uploads__allowed_types=allowed) as visitor:
        other = Editor(visitor, editor.settings)
        assert (await upload(other, TEXT)).status == 400
        disguised = FilePart("a.png", b"%PDF-1.7", "image/png")
        response = await upload(other, disguised)
        assert error(response)["message"] == "MIME type is not allowed"
        assert uploaded(await upload(other, FilePart("a.png", PNG, "image/png")))


@pytest.mark.parametrize(
    ("allowed", "part"),
    [
        (("text/csv",), FilePart("a.csv", b"a,b", "application/vnd.ms-excel")),
        (("text/*",), FilePart("a.html", b"<html><svg></svg>", "text/html")),
        (("image/svg*",), FilePart("a.svg", b"<svg/>", "image/svg+xml")),
        (("*pdf",), FilePart("a.pdf", b"%PDF-1.7", "application/pdf")),
    ],
)
async def test_h091_the_type_of_the_extension_counts(
    editor: Editor, allowed: tuple[str, ...], part: FilePart
) -> None:
    """Browsers on Windows declare CSV files as Excel ones."""
    async with serving(editor.settings.project, uploads__allowed_types=allowed) as visitor:
        other = Editor(visitor, editor.settings)
        assert uploaded(await upload(other, part))


async def test_h091_an_empty_list_allows_nothing(editor: Editor) -> None:
    async with serving(editor.settings.project, uploads__allowed_types=()) as visitor:
        response = await upload(Editor(visitor, editor.settings), TEXT)
        assert error(response)["message"] == "MIME type is not allowed"


async def test_h091_an_office_document_is_allowed_although_it_is_an_archive(editor: Editor) -> None:
    archive = b"PK\x03\x04" + bytes(26)
    type_ = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    async with serving(editor.settings.project, uploads__allowed_types=(type_,)) as visitor:
        other = Editor(visitor, editor.settings)
        for declared in (type_, "application/octet-stream"):
            (file,) = uploaded(await upload(other, FilePart("a.docx", archive, declared)))
            assert file["mime"] == type_
        for name in ("a.zip", "a.png"):
            response = await upload(other, FilePart(name, archive, "application/octet-stream"))
            assert (response.status, error(response)["name"]) == (400, "ValidationError")


async def test_h091_denied_archives_are_refused_under_any_name(editor: Editor) -> None:
    archive = b"PK\x03\x04" + bytes(26)
    denied = ("application/zip",)
    async with serving(editor.settings.project, uploads__denied_types=denied) as visitor:
        other = Editor(visitor, editor.settings)
        for name, declared in (("a.zip", "application/zip"), ("a.png", "image/png")):
            response = await upload(other, FilePart(name, archive, declared))
            assert (response.status, error(response)["name"]) == (400, "ValidationError")


async def test_h100_images_do_not_reveal_where_they_were_taken(editor: Editor) -> None:
    """Neither the picture as it is kept nor its other sizes."""
    located = _with_place(picture(800, 600, ".jpg"))
    before = kept(editor)
    (file,) = uploaded(await upload(editor, FilePart("a.jpg", located, "image/jpeg")))
    assert set(file["formats"]) == {"thumbnail", "small", "medium"}
    new = {name: content for name, content in kept(editor).items() if name not in before}
    assert len(new) == 4
    assert b"Exif" in located
    assert not [name for name, content in new.items() if b"Exif" in content or b"GPS" in content]


def _with_place(jpeg: bytes) -> bytes:
    """Put an EXIF block into a JPEG that says where it was taken."""
    exif = (
        b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x88\x25\0\x04\0\0\0\x01\0\0\0\x1a\0\0\0\0"
        b"\0\x01\0\x01\0\x02\0\0\0\x02N\0\0\0\0\0\0\0GPS"
    )
    return jpeg[:2] + b"\xff\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif + jpeg[2:]
