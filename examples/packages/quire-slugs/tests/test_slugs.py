"""Slugs and the sitemap of a project that uses the package."""

import pytest
from quire_slugs.hooks import slugify

from quire.testing import Project


@pytest.mark.parametrize(
    ("text", "slug"),
    [("Sea & Sun", "sea-and-sun"), ("  Élan vital! ", "elan-vital"), ("???", "")],
)
def test_slugify(text: str, slug: str) -> None:
    """Slugs are small letters, digits and dashes."""
    assert slugify(text) == slug


async def test_slugs_are_unique_and_stay(project: Project) -> None:
    """A slug is set once, and never that of another page."""
    token = await project.token()

    async def create(**data: str) -> dict[str, str]:
        response = await token.post("/api/pages", json={"data": data})
        assert response.status_code == 201, response.text
        page: dict[str, str] = response.json()["data"]
        return page

    pages = [await create(title="Sea & Sun") for _ in range(3)]
    assert [one["slug"] for one in pages] == ["sea-and-sun", "sea-and-sun-2", "sea-and-sun-3"]
    assert (await create(title="Sea", slug="mine"))["slug"] == "mine"
    address = f"/api/pages/{pages[1]['documentId']}"
    changed = await token.put(address, json={"data": {"title": "Wind"}})
    assert changed.json()["data"]["slug"] == "sea-and-sun-2"
    emptied = await token.put(address, json={"data": {"slug": None}})
    assert emptied.json()["data"]["slug"] == "wind"


async def test_the_sitemap_has_what_is_published(project: Project) -> None:
    """Drafts are not listed."""
    token = await project.token()
    await token.post("/api/pages", json={"data": {"title": "Open"}})
    await token.post("/api/pages?status=draft", json={"data": {"title": "Hidden"}})
    listed = await project.get("/api/sitemap")
    assert listed.json() == {"urls": ["https://example.org/open"]}
