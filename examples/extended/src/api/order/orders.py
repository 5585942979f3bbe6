"""Orders: created by a route, and confirmed by a background request."""

from decimal import Decimal
from typing import Annotated

from msgspec import Meta, Struct
from src.content import Order, documents
from src.extensions.search import search

from quire import Conflict, as_system, http, job, route, transaction

PRICES = {"lantern": Decimal("12.50"), "buoy": Decimal(90)}


class PlaceOrder(Struct):
    """What a visitor sends."""

    email: str
    product: str
    quantity: Annotated[int, Meta(ge=1, le=100)]


@route.post("/orders/place", public=True, errors=[Conflict])
async def place_order(order: PlaceOrder) -> dict[str, str]:
    """Place an order; its confirmation exists only if the transaction commits."""
    price = PRICES.get(order.product)
    if price is None:
        raise Conflict("This product is not sold", path="product")
    with as_system("orders are open to everybody"):
        async with transaction():
            placed = await documents(Order).create(
                {
                    "email": order.email,
                    "product": order.product,
                    "quantity": order.quantity,
                    "total": str(price * order.quantity),
                }
            )
            await confirm.enqueue(placed.documentId)
    return {"number": placed.documentId}


@job(retries=8, timeout=60)
async def confirm(document_id: str) -> None:
    """Have a confirmation sent."""
    with as_system("confirm an order"):
        order = await documents(Order).find_one(document_id)
    if order is not None:
        await http.post(f"{search.url}/confirm", json={"to": order.email, "total": order.total})
