"""Where files are used: at any depth, in every version, and in texts."""

from quire.admin_api.media.usage import unused_files, usage
from quire.database.stores.file_usage import FileUse
from tests.unit.uploads.desk import Desk

ARTICLE = "api::article.article"
SEO, GALLERY, QUOTE = "shared.seo", "blocks.gallery", "blocks.quote"


async def uses(desk: Desk, file_id: int) -> list[FileUse]:
    return (await desk.read(lambda store: usage(store, [file_id])))[file_id]


async def test_uses_are_found_at_any_depth(desk: Desk) -> None:
    data = {
        "title": "Uses",
        "cover": 3,
        "seo": {"metaTitle": "m", "shareImage": 3},
        "sections": [{"__component": GALLERY, "title": "g", "images": [3, 12]}],
    }
    made = (await desk.send("POST", "articles?status=draft", data))["data"]

    found = await uses(desk, 3)
    assert {(use.path, use.in_text) for use in found} == {
        ("cover", False),
        ("seo.shareImage", False),
        ("sections.images", False),
    }
    assert {(use.uid, use.document_id, use.published) for use in found} == {
        (ARTICLE, made["documentId"], False)
    }


async def test_every_version_is_reported(desk: Desk) -> None:
    made = (await desk.send("POST", "articles", {"title": "Two", "cover": 3}))["data"]

    found = [use for use in await uses(desk, 3) if use.document_id == made["documentId"]]
    assert sorted(use.published for use in found) == [False, True]


async def test_texts_that_name_a_file_use_it(desk: Desk) -> None:
    body = "See ![notes](/uploads/notes_d2c9b549e5.txt)."
    await desk.send("POST", "articles?status=draft", {"title": "Named", "body": body})

    assert [(use.path, use.in_text) for use in await uses(desk, 7)] == [("body", True)]


async def test_names_are_compared_to_the_letter(desk: Desk) -> None:
    """The underscore of a name stands for nothing else."""
    await desk.send("POST", "articles?status=draft", {"title": "x", "body": "notesxd2c9b549e5"})

    assert await uses(desk, 7) == []


async def test_unused_files_are_reported(desk: Desk) -> None:
    before = (await desk.read(unused_files)).ids
    assert 7 in before
    body = "/uploads/notes_d2c9b549e5.txt"
    await desk.send("POST", "articles?status=draft", {"title": "x", "cover": 3, "body": body})

    found = await desk.read(unused_files)
    assert set(before) - set(found.ids) == {3, 7}
    assert found.after is None
    first = await desk.read(lambda store: unused_files(store, limit=1))
    assert (first.ids, first.after) == (found.ids[:1], found.ids[0])
    rest = await desk.read(lambda store: unused_files(store, after=found.ids[0]))
    assert rest.ids == found.ids[1:]


async def test_files_that_are_not_there_are_left_out(desk: Desk) -> None:
    assert list(await desk.read(lambda store: usage(store, [7, 999]))) == [7]
