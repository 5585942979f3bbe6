"""Places: filtered by their position."""

from typing import Any

from msgspec import Struct
from sqlalchemy import ColumnElement, and_

from quire import Sql, operator


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
