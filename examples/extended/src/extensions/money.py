"""Amounts of money, with a custom input in the admin UI."""

from decimal import Decimal

from quire import AdminInput, AttributeOptions, AttributeType, ValidationError, attribute_type


class MoneyOptions(AttributeOptions):
    """The options of an amount."""

    currency: str = "EUR"


@attribute_type("money")
class Money(AttributeType[Decimal, MoneyOptions]):
    """An amount with at most two decimals."""

    stores = "decimal"
    admin = AdminInput(
        module="admin/money.js", element="quire-money", cell="{value} {options.currency}"
    )

    def parse(self, value: str | float, options: MoneyOptions) -> Decimal:
        """Accept numbers and texts."""
        try:
            amount = Decimal(str(value))
        except ArithmeticError:
            amount = Decimal("NaN")
        if not (amount.is_finite() and amount == round(amount, 2)):
            raise ValidationError("must be an amount with at most two decimals, such as 12.50")
        return amount

    def serialize(self, value: Decimal, options: MoneyOptions) -> str:
        """Show both decimals."""
        return f"{value:.2f}"
