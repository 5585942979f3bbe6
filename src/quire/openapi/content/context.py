"""What the descriptions of content routes are made of."""

from quire.openapi.models import Models
from quire.openapi.queries import PageLimits, Queries
from quire.openapi.types import TypeSchemas


class DescriptionContext:
    """The models, queries and types of one document."""

    def __init__(self, models: Models, pages: PageLimits) -> None:
        self.models = models
        self.schemas = models.schemas
        self.queries = Queries(models, pages)
        self.types = TypeSchemas(models.schemas, models=models)
