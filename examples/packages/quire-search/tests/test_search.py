"""Searching in a project that uses the package."""

from pathlib import Path

import pytest
from quire_search.hooks import index
from quire_search.index import Entry

from quire.testing import Client, Project

PAGES = ["api::page.page.find", "api::page.page.findOne"]


@pytest.fixture(autouse=True)
def _own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test an index of its own."""
    monkeypatch.setattr(index, "path", tmp_path / "search.db")


async def found(client: Client, words: str) -> list[str]:
    """Return the titles of the pages that have these words."""
    response = await client.get("/api/search/api::page.page", params={"q": words})
    assert response.status_code == 200, response.text
    return [page["title"] for page in response.json()["data"]]


async def test_what_is_published_is_found(project: Project) -> None:
    """Drafts, and what is not published any more, are not found."""
    token = await project.token()
    tide = {"title": "Tide", "body": "Low water at the harbour"}
    made = await token.post("/api/pages", json={"data": tide})
    address = f"/api/pages/{made.json()['data']['documentId']}"
    await token.post("/api/pages", json={"data": {"title": "Harbour", "body": "Boats"}})
    await token.post("/api/pages?status=draft", json={"data": {"title": "Harbour plans"}})
    await project.drain()
    assert await found(token, "harbour") == ["Harbour", "Tide"]
    assert await found(token, "low, wat") == ["Tide"]
    assert await found(token, '"*') == []
    await token.put(address, json={"data": {"body": "High water"}})
    await project.drain()
    assert await found(token, "harbour") == ["Harbour"]
    assert await found(token, "high") == ["Tide"]
    await token.delete(address)
    await project.drain()
    assert await found(token, "high") == []


async def test_types_without_drafts_are_indexed(project: Project) -> None:
    """Each of their documents is public."""
    token = await project.token()
    made = await token.post("/api/notes", json={"data": {"text": "Low water"}})
    await project.drain()
    assert [entry.text for entry in index.texts()] == ["Low water"]
    address = f"/api/notes/{made.json()['data']['documentId']}"
    await token.put(address, json={"data": {"text": "High water"}})
    await project.drain()
    assert [entry.text for entry in index.texts()] == ["High water"]


async def test_only_what_the_caller_may_find_is_shown(project: Project) -> None:
    """The route adds no permission."""
    token = await project.token()
    await token.post("/api/pages", json={"data": {"title": "Tide"}})
    await project.drain()
    query = {"q": "tide"}
    address = "/api/search/api::page.page"
    assert (await project.get(address, params=query)).status_code == 403
    await project.grant("public", PAGES)
    assert await found(project.visitor, "tide") == ["Tide"]
    unknown = await project.get("/api/search/api::letter.letter", params=query)
    assert unknown.status_code == 404


async def test_building_leaves_what_changes_have_written(project: Project) -> None:
    """An older state of a document does not replace a newer one."""
    token = await project.token()
    for title in ("Tide", "Fog"):
        await token.post("/api/pages", json={"data": {"title": title}})
    await project.drain()
    before = index.texts()
    assert sorted(entry.text or "" for entry in before) == ["Fog", "Tide"]
    (gone,) = [entry for entry in before if entry.text == "Fog"]
    index.clear()
    index.update([gone._replace(text=None)])
    index.fill(before)
    assert [entry.text for entry in index.texts()] == ["Tide"]


async def test_a_new_index_is_built_at_the_start(project: Project) -> None:
    """The job runs once, and finds all that is published."""
    token = await project.token()
    await token.post("/api/pages", json={"data": {"title": "Tide"}})
    await project.drain()
    assert [entry.text for entry in index.texts()] == ["Tide"]
    assert index.version() != 0


def test_a_change_that_fails_leaves_nothing(tmp_path: Path) -> None:
    """A transaction is whole or not at all."""
    index.path = tmp_path / "one.db"
    wrong: list[Entry] = [Entry("a", "b", "", "text"), Entry("a", "c", "", object())]  # type: ignore[arg-type]
    with pytest.raises(Exception, match="type"):
        index.update(wrong)
    assert index.texts() == []
