"""The code for writing and reading articles."""

from src.extensions.proxy import signature_of

from quire.testing import Client, Project

CONTENT = [f"api::article.article.{action}" for action in ("create", "update", "find", "findOne")]


async def write_article(client: Client, **data: object) -> str:
    """Publish an article; returns its document id."""
    response = await client.post("/api/articles", json={"data": {"title": "Sea & Sun", **data}})
    assert response.status_code == 201, response.text
    return str(response.json()["data"]["documentId"])


async def test_the_slug_comes_from_the_title(project: Project) -> None:
    """One hook call for a document, although two rows are written."""
    ann = await project.user("ann", actions=CONTENT)
    document_id = await write_article(ann)
    assert project.fired["slug_from_title"] == 1
    shown = (await ann.get(f"/api/articles/{document_id}")).json()["data"]
    assert (shown["slug"], shown["readingMinutes"]) == ("sea-sun", 1)


async def test_users_change_their_own_articles_alone(project: Project) -> None:
    """The rule holds on top of the permission."""
    ann = await project.user("ann", actions=CONTENT)
    ben = await project.user("ben", actions=CONTENT)
    document_id = await write_article(ann)
    change = {"data": {"title": "Moon"}}
    assert (await ben.put(f"/api/articles/{document_id}", json=change)).status_code == 403
    assert (await ann.put(f"/api/articles/{document_id}", json=change)).status_code == 200


async def test_articles_under_embargo_are_hidden(project: Project) -> None:
    """Until their time has come."""
    token = await project.token()
    document_id = await write_article(token, embargoUntil="2040-01-01T00:00:00.000Z")
    await write_article(token, title="Fog", embargoUntil="2020-01-01T00:00:00.000Z")
    await write_article(token, title="Tide")
    listed = (await token.get("/api/articles?sort=title")).json()
    assert [one["title"] for one in listed["data"]] == ["Fog", "Tide"]
    assert listed["meta"]["pagination"]["total"] == 2
    assert (await token.get(f"/api/articles/{document_id}")).status_code == 404


async def test_popular_articles_are_read_in_one_statement_each(project: Project) -> None:
    """The articles, and their authors: two statements."""
    token = await project.token()
    author = await token.post("/api/authors", json={"data": {"name": "Ada"}})
    ada = author.json()["data"]["documentId"]
    await write_article(token, views=3, author=ada)
    await write_article(token, title="Fog", slug="fog", views=9, author=ada)
    with project.statements(at_most=2):
        response = await token.get("/api/articles/popular")
    assert [one["title"] for one in response.json()["data"]] == ["Fog", "Sea & Sun"]
    assert response.json()["data"][0]["author"] == {"name": "Ada"}


async def test_comments_are_counted_where_they_are_asked_for(project: Project) -> None:
    """By one statement for all articles of a page."""
    token = await project.token()
    first = await write_article(token)
    await write_article(token, title="Fog", slug="fog")
    for text in ("Yes", "No"):
        comment = {"data": {"text": text, "article": first}}
        assert (await token.post("/api/comments", json=comment)).status_code == 201
    with project.statements(at_most=2):
        page = await token.get("/api/articles?fields=title,commentCount&sort=title")
    assert [(one["title"], one["commentCount"]) for one in page.json()["data"]] == [
        ("Fog", 0),
        ("Sea & Sun", 2),
    ]
    assert "commentCount" not in (await token.get("/api/articles")).json()["data"][0]


async def test_the_index_follows_what_is_published(project: Project) -> None:
    """Only the newest change of a document is sent."""
    token = await project.token()
    document_id = await write_article(token)
    await token.put(f"/api/articles/{document_id}", json={"data": {"title": "Moon"}})
    with project.http.expect("POST", "/bulk") as sent:
        await project.drain()
    assert [one["title"] for one in sent.json["put"]] == ["Moon"]
    await token.delete(f"/api/articles/{document_id}")
    with project.http.expect("POST", "/bulk") as sent:
        await project.drain()
    assert sent.json == {"put": [], "delete": [document_id]}


async def test_the_proxy_says_who_sends_a_request(project: Project) -> None:
    """A signed e-mail is believed, any other one is rejected."""
    await project.user("ann", actions=["plugin::users-permissions.user.me"])
    headers = {"x-access-email": "ann@example.com"}
    assert (await project.get("/api/users/me", headers=headers)).status_code == 401
    headers["x-access-mark"] = signature_of("ann@example.com")
    response = await project.get("/api/users/me", headers=headers)
    assert response.json()["username"] == "ann"
    assert response.headers["x-served-by"] == "shop"
