"""Orders, banners and places."""

from quire.testing import Project


async def test_an_order_is_confirmed_after_its_transaction(project: Project) -> None:
    """The job sends the total in the form of the attribute type."""
    order = {"email": "ada@example.com", "product": "lantern", "quantity": 2}
    placed = await project.post("/api/orders/place", json=order)
    assert placed.status_code == 200, placed.text
    with project.http.expect("POST", "/confirm") as sent:
        await project.drain()
    assert sent.json == {"to": "ada@example.com", "total": "25.00"}


async def test_an_order_that_cannot_be_is_refused(project: Project) -> None:
    """The body is checked by its types, the product by the code."""
    order = {"email": "ada@example.com", "product": "whale", "quantity": 1}
    refused = await project.post("/api/orders/place", json=order)
    assert refused.json()["error"]["details"]["errors"][0]["path"] == ["product"]
    many = await project.post("/api/orders/place", json={**order, "quantity": 1000})
    assert many.status_code == 400


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
