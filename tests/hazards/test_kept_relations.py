"""Publishing keeps the relations of drafts and of published versions."""

import pytest

from tests.hazards.newsroom import JsonObject
from tests.hazards.writing import Editor, results, shown


async def titles(editor: Editor, document_id: str, status: str, name: str = "related") -> list[str]:
    """The titles of what a version is related to, in order."""
    target = f"articles/{document_id}?status={status}&populate[{name}][fields]=title"
    return [entry["title"] for entry in (await editor.entry(target))[name]]


async def publish(editor: Editor, document_id: str) -> None:
    shown(await editor.update(f"articles/{document_id}", {}))


async def unpublish(editor: Editor, document_id: str) -> None:
    operation = {"action": "unpublish", "type": "articles", "documentId": document_id}
    results(await editor.batch(operation))


@pytest.fixture
async def chain(editor: Editor) -> tuple[str, str, str]:
    """Drafts of A, B and C; A is related to C and B, in this order."""
    b = await editor.made("articles?status=draft", title="B")
    c = await editor.made("articles?status=draft", title="C")
    a = await editor.made("articles?status=draft", title="A", related=[c, b])
    return a, b, c


async def test_h127_what_is_not_published_is_left_out_until_it_is(
    editor: Editor, chain: tuple[str, str, str]
) -> None:
    """A published version is related to published targets; the draft keeps all of them."""
    a, b, c = chain
    await publish(editor, a)
    assert await titles(editor, a, "draft") == ["C", "B"]
    assert await titles(editor, a, "published") == []
    await publish(editor, b)
    await publish(editor, c)
    await publish(editor, a)
    assert await titles(editor, a, "draft") == ["C", "B"]
    assert await titles(editor, a, "published") == ["C", "B"]
    editor.assert_sound()


@pytest.mark.parametrize("way", ["republish", "unpublish and publish", "another locale", "edit"])
@pytest.mark.parametrize("which", ["source", "target"])
async def test_h127_relations_survive_what_happens_to_either_side(
    editor: Editor, chain: tuple[str, str, str], way: str, which: str
) -> None:
    """Publishing again, taking back, another locale: neither side loses the other."""
    a, b, c = chain
    for document_id in (b, c, a):
        await publish(editor, document_id)
    chosen = a if which == "source" else b
    for _ in range(2):
        match way:
            case "republish":
                await publish(editor, chosen)
            case "unpublish and publish":
                await unpublish(editor, chosen)
                assert await titles(editor, a, "draft") == ["C", "B"]
                await publish(editor, chosen)
            case "another locale":
                shown(await editor.update(f"articles/{chosen}?locale=de", {"title": "Anders"}))
            case _:
                shown(await editor.update(f"articles/{chosen}", {"body": "Edited"}))
    assert await titles(editor, a, "draft") == ["C", "B"]
    assert await titles(editor, b, "draft", "relatedBy") == ["A"]
    assert await titles(editor, a, "published") == ["C", "B"]
    assert await titles(editor, b, "published", "relatedBy") == ["A"]
    editor.assert_sound()


async def test_h127_one_batch_publishes_both_sides(
    editor: Editor, chain: tuple[str, str, str]
) -> None:
    """In any order: what is published later in a batch is connected all the same."""
    a, b, c = chain
    operations = [
        {"action": "publish", "type": "articles", "documentId": document_id}
        for document_id in (a, c, b)
    ]
    results(await editor.batch(*operations))
    assert await titles(editor, a, "draft") == ["C", "B"]
    await publish(editor, a)
    assert await titles(editor, a, "published") == ["C", "B"]
    editor.assert_sound()


async def test_h127_a_deleted_target_is_gone_from_both_versions(
    editor: Editor, chain: tuple[str, str, str]
) -> None:
    """Nothing leads to it any more, and the others keep their order."""
    a, b, c = chain
    for document_id in (b, c, a):
        await publish(editor, document_id)
    assert (await editor.delete(f"articles/{c}")).status == 204
    for status in ("draft", "published"):
        assert await titles(editor, a, status) == ["B"]
    await publish(editor, a)
    assert await titles(editor, a, "published") == ["B"]
    editor.assert_sound()


async def test_h127_relations_of_components_are_published_too(editor: Editor) -> None:
    """Deep in dynamic zones as well; the draft has rows of its own, and keeps its relations."""
    quote: JsonObject = {"text": "Calm", "speaker": 1}
    data: JsonObject = {
        "title": "Components",
        "seo": {"metaTitle": "M", "owner": 1, "topic": 1, "image": 1},
        "sections": [
            {"__component": "shared.panel", "images": [2, 1], "quotes": [quote, {"text": "None"}],
             "seo": {"owner": 2}},
            {"__component": "shared.quote", **quote},
        ],
    }  # fmt: skip
    document_id = await editor.made("articles", **data)
    panel = "populate[sections][on][shared.panel][populate]"
    query = (
        "populate[seo][populate]=*&populate[sections][on][shared.quote][populate]=speaker"
        f"&{panel}[images]=true&{panel}[quotes][populate]=speaker&{panel}[seo][populate]=owner"
    )
    seen = []
    for _ in range(3):
        for status in ("draft", "published"):
            entry = await editor.entry(f"articles/{document_id}?status={status}&{query}")
            panel_shown, quote_shown = entry["sections"]
            seen.append(
                [
                    *(entry["seo"][name]["id"] for name in ("owner", "topic", "image")),
                    [image["id"] for image in panel_shown["images"]],
                    [(one["speaker"] or {}).get("id") for one in panel_shown["quotes"]],
                    panel_shown["seo"]["owner"]["id"],
                    quote_shown["speaker"]["id"],
                ]
            )
        await unpublish(editor, document_id)
        await publish(editor, document_id)
    assert seen == [[1, 1, 1, [2, 1], [1, None], 2, 1]] * 6
    editor.assert_sound()


async def test_h127_published_relations_are_in_the_locale_of_the_entry(editor: Editor) -> None:
    """Drafts may be related to rows of other locales, by their row ids; as in Strapi."""
    target = await editor.made("articles", title="Target")
    other_locale = shown(await editor.update(f"articles/{target}?locale=de", {"title": "Ziel"}))
    row = other_locale["id"]
    source = await editor.made("articles?status=draft", title="Source", related=[row])
    await publish(editor, source)
    assert await titles(editor, source, "published") == ["Target"]
    untranslated = await editor.made("articles", title="English only")
    row = (await editor.entry(f"articles/{untranslated}"))["id"]
    shown(await editor.update(f"articles/{target}?locale=de", {"related": [row]}))
    path = f"articles/{target}?locale=de&populate[related][fields]=title"
    assert [entry["title"] for entry in (await editor.entry(path))["related"]] == ["English only"]
