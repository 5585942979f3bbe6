"""Orders: created by a route, and confirmed by mail in the background."""

from decimal import Decimal
from typing import Annotated

from msgspec import Meta, Struct
from src.content import Order, Product, documents

from quire import (
    Conflict,
    PolicyContext,
    as_system,
    job,
    mail,
    now,
    policy,
    route,
    transaction,
)


class PlaceOrder(Struct):
    """What a visitor sends; the product by its document id."""

    email: str
    product: str
    quantity: Annotated[int, Meta(ge=1, le=100)]


@policy(Order, on=["create"])
def shop_is_open(context: PolicyContext) -> bool:
    """Accept orders during the day, except from administrators, who enter them at any time."""
    return context.principal.kind == "admin" or 8 <= now().hour < 20


@route.post(
    "/orders/place", public=True, errors=[Conflict], policies=[shop_is_open], rate="30/minute"
)
async def place_order(order: PlaceOrder) -> dict[str, str]:
    """Place an order; its confirmation exists only if the transaction commits."""
    with as_system("orders are open to everybody"):
        async with transaction():
            product = await documents(Product).find_one(order.product, for_update=True)
            if product is None or product.stock < order.quantity:
                raise Conflict("There is not enough of this product", path="product")
            await documents(Product).update(
                product.documentId, {"stock": product.stock - order.quantity}
            )
            placed = await documents(Order).create(
                {
                    "email": order.email,
                    "product": product.name,
                    "quantity": order.quantity,
                    "total": str(Decimal(product.price) * order.quantity),
                }
            )
            await confirm.enqueue(placed.documentId)
    return {"number": placed.documentId}


@job(retries=8, timeout=60)
async def confirm(document_id: str) -> None:
    """Send a confirmation."""
    with as_system("confirm an order"):
        order = await documents(Order).find_one(document_id)
    if order is not None:
        await mail.send(
            order.email,
            subject="Your order",
            text=f"Thank you. Your number: {document_id}. The total: {order.total}",
        )
