"""Places: found by their addresses, and filtered by their positions."""

from typing import Any

from msgspec import Struct
from sqlalchemy import ColumnElement, and_
from src.content import Place

from quire import Sql, Write, http, operator, prepare

GEOCODER = "https://geo.example.org/search"


@prepare(Place, on=["create", "update"])
async def position_of_address(write: Write[Place]) -> None:
    """Look up where an address is, before the transaction."""
    address = write.data.get("address")
    if isinstance(address, str) and address:
        response = await http.get(GEOCODER, params={"q": address}, timeout=3)
        write.set(position=response.json())


class Box(Struct):
    """A part of a map."""

    south: float
    west: float
    north: float
    east: float


@operator("$geo_within", on=["json"], operand=Box)
def geo_within(column: ColumnElement[Any], box: Sql[Box]) -> ColumnElement[bool]:
    """Look for positions such as {"lat": 54.5, "lng": 8.3} inside a box."""
    lat, lng = box.json_number(column, "lat"), box.json_number(column, "lng")
    return and_(lat.between(box.south, box.north), lng.between(box.west, box.east))
