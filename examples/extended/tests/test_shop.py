"""Orders, banners and places."""

from quire.testing import Project


async def stock_lanterns(project: Project, stock: int) -> str:
    """Make a product at noon, when the shop is open; returns its document id."""
    project.clock.freeze("2030-06-01T12:00")
    token = await project.token()
    lantern = {"name": "Lantern", "price": "12.50", "stock": stock}
    response = await token.post("/api/products", json={"data": lantern})
    assert response.status_code == 201, response.text
    return str(response.json()["data"]["documentId"])


async def test_an_order_is_confirmed_after_its_transaction(project: Project) -> None:
    """The job sends the total in the form of the attribute type."""
    lantern = await stock_lanterns(project, 3)
    order = {"email": "ada@example.com", "product": lantern, "quantity": 2}
    placed = await project.post("/api/orders/place", json=order)
    assert placed.status_code == 200, placed.text
    await project.drain()
    (mail,) = project.mails
    assert (mail.to, mail.subject) == (("ada@example.com",), "Your order")
    assert (mail.text or "").endswith("The total: 25.00")
    token = await project.token()
    shown = (await token.get(f"/api/products/{lantern}")).json()["data"]
    assert shown["stock"] == 1


async def test_an_order_that_cannot_be_is_refused(project: Project) -> None:
    """The body is checked by its types, the stock by the code; nothing is stored or sent."""
    lantern = await stock_lanterns(project, 1)
    order = {"email": "ada@example.com", "product": lantern, "quantity": 2}
    refused = await project.post("/api/orders/place", json=order)
    assert refused.status_code == 409
    assert refused.json()["error"]["details"]["errors"][0]["path"] == ["product"]
    many = await project.post("/api/orders/place", json={**order, "quantity": 1000})
    assert many.status_code == 400
    project.clock.freeze("2030-06-01T22:00")
    closed = await project.post("/api/orders/place", json={**order, "quantity": 1})
    assert closed.status_code == 403
    await project.drain()
    token = await project.token()
    assert (await token.get("/api/orders")).json()["data"] == []
    assert project.mails == []


async def test_banners_expire_at_night(project: Project) -> None:
    """The schedule unpublishes what has ended by then."""
    project.clock.freeze("2030-06-01T12:00")
    await project.drain()
    token = await project.token()
    for text, ends in (("Old", "2030-06-01T20:00:00Z"), ("New", "2030-07-01T00:00:00Z")):
        banner = {"data": {"text": text, "endsAt": ends}}
        assert (await token.post("/api/banners", json=banner)).status_code == 201
    await project.until("2030-06-02T01:00")  # 3 o'clock in Berlin
    shown = (await token.get("/api/banners")).json()["data"]
    assert [one["text"] for one in shown] == ["New"]


async def test_the_position_of_an_address_is_looked_up(project: Project) -> None:
    """Only if there is an address; a place is stored without waiting in the transaction."""
    token = await project.token()
    sylt = {"lat": 54.9, "lng": 8.3}
    with project.http.expect("GET", "/search", json=sylt) as sent:
        place = {"data": {"name": "Sylt", "address": "Sylt, Germany"}}
        made = await token.post("/api/places", json=place)
    assert made.json()["data"]["position"] == sylt
    assert sent.request.url.params["q"] == "Sylt, Germany"
    assert (await token.post("/api/places", json={"data": {"name": "X"}})).status_code == 201


async def test_places_are_found_inside_a_box(project: Project) -> None:
    """Positions that are none are not found."""
    token = await project.token()
    positions = {"Sylt": {"lat": 54.9, "lng": 8.3}, "Bern": {"lat": 46.9, "lng": 7.4}, "X": {}}
    for name, position in positions.items():
        place = {"data": {"name": name, "position": position}}
        assert (await token.post("/api/places", json=place)).status_code == 201
    box = {"south": 54, "west": 8, "north": 55, "east": 9}
    query = "&".join(f"filters[position][$geo_within][{side}]={at}" for side, at in box.items())
    found = (await token.get(f"/api/places?{query}")).json()["data"]
    assert [one["name"] for one in found] == ["Sylt"]
