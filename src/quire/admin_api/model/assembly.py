"""Puts the routes of the model together."""

from collections.abc import Iterator

from quire.admin_api.model.planning import ModelPlanningApi
from quire.admin_api.model.reading import ModelReadingApi
from quire.admin_api.model.writing import ModelWritingApi
from quire.api.routes import Route
from quire.builder.aside import KeptAside
from quire.builder.remodel import Remodeller


def model_routes(remodeller: Remodeller, kept: KeptAside) -> Iterator[Route]:
    """Yield the routes by which administrators see and change the model."""
    yield from ModelReadingApi(remodeller.schema).routes()
    yield from ModelWritingApi(remodeller).routes()
    yield from ModelPlanningApi(remodeller, kept).routes()
